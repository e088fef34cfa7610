/** Usage by key and day: the quota as a bar, the calls as a plot and a table. */
import { useState } from 'preact/hooks';
import { distinctNames } from '../../model/distinct-names.js';
import { isolated } from '../../model/isolated.js';
import { useTexts } from '../context.js';
import { Answered } from '../parts/answered.js';
import { Progress } from '../parts/progress.js';
import { type Account, accountsOf, keysOf, lastDays, type Role, usageOf, useData } from './data.js';
import { DayPlot } from './day-plot.js';
import { endpointName } from './endpoints.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

const RANGES = [7, 30, 90];

const choiceOf = (days: number, key: string): string => `${days} ${key}`;

export function Usage({ role }: { role: Role }) {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { usage: words } = texts;
  const [days, setDays] = useState(30);
  const [key, setKey] = useState('');
  const { data, error, reload } = useData(async () => {
    const all = lastDays(days);
    const [rows, keys, accounts] = await Promise.all([
      usageOf(role, { from: all[0], to: all.at(-1), key }),
      keysOf(role),
      accountsOf(role),
    ]);
    return { rows, keys, accounts, all, of: choiceOf(days, key) };
  }, [days, key]);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const names = distinctNames(data.keys);
  const accountNames = distinctNames(data.accounts);
  const owners = new Map(data.keys.map(({ id, account }) => [id, accountNames.get(account) ?? account]));
  // The figures of the choice before stay, dimmed, until those of the new choice are read.
  const isWaiting = data.of !== choiceOf(days, key);
  const counts = data.all.map((day) => {
    const rows = data.rows.filter((row) => row.day === day);
    const requests = rows.reduce((sum, row) => sum + row.requests, 0);
    return { day, requests, ok: rows.reduce((sum, row) => sum + row.ok, 0) };
  });
  return (
    <section>
      {data.accounts.map((account) => (
        <Quota
          key={account.id}
          account={account}
          name={role === 'operator' ? accountNames.get(account.id) : undefined}
        />
      ))}
      <h2>{words.calls}</h2>
      <div class="dashboard-filters">
        <label>
          <span>{words.days}</span>
          <select value={String(days)} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {RANGES.map((range) => (
              <option key={range} value={String(range)}>
                {words.range(range)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.key}</span>
          <select value={key} onChange={(event) => setKey(event.currentTarget.value)}>
            <option value="">{words.all}</option>
            {data.keys.map(({ id, name }) => (
              <option key={id} value={id}>
                {isolated(name)} ({id}){role === 'operator' && ` · ${owners.get(id)}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Answered isWaiting={isWaiting} text={texts.loading}>
        {data.rows.length === 0 ? (
          <p>{words.none}</p>
        ) : (
          <>
            <DayPlot counts={counts} label={words.calls} />
            <p class="plot-legend">
              <span class="plot-ok">{words.ok}</span> <span class="plot-failed">{words.failed}</span>
            </p>
          </>
        )}
        {data.rows.length > 0 && (
          <details>
            <summary>{words.table}</summary>
            <Scrolled label={words.table}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{words.day}</th>
                    {role === 'operator' && <th scope="col">{texts.log.account}</th>}
                    <th scope="col">{words.key}</th>
                    <th scope="col">{texts.log.endpoint}</th>
                    <th scope="col" class="figure">
                      {words.requests}
                    </th>
                    <th scope="col" class="figure">
                      {words.ok}
                    </th>
                    <th scope="col" class="figure">
                      {words.failed}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.rows.toReversed().map((row) => (
                    <tr key={`${row.day} ${row.key} ${row.endpoint}`}>
                      <th scope="row">{row.day}</th>
                      {role === 'operator' && <td>{owners.get(row.key) ?? ''}</td>}
                      <td title={row.key}>{names.get(row.key) ?? row.key}</td>
                      <td title={row.endpoint}>{endpointName(texts, row.endpoint)}</td>
                      <td class="figure">{number(row.requests)}</td>
                      <td class="figure">{number(row.ok)}</td>
                      <td class="figure">{number(row.requests - row.ok)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolled>
          </details>
        )}
      </Answered>
    </section>
  );
}

/** Share of a quota from which on its use is shown as a warning. */
const NEARLY_USED = 0.9;

/** What is used and left of the month. @param name of the account, among several */
function Quota({ account, name }: { account: Account; name: string | undefined }) {
  const { number } = useTexts();
  const { usage: words } = useDashboardTexts();
  const { monthly_quota: quota } = account;
  const { used, resets_at: resets } = account.quota;
  const isNearlyUsed = used >= NEARLY_USED * quota;
  const said = words.quota(number(used), number(quota));
  return (
    <div class="quota">
      {name !== undefined && <strong>{name}</strong>}
      <span>
        {said} ·{' '}
        <span class={isNearlyUsed ? 'warn' : undefined}>{words.left(number(Math.max(0, quota - used)))}</span>
      </span>
      <meter
        class={isNearlyUsed ? 'warn' : undefined}
        min={0}
        max={Math.max(1, quota)}
        value={quota === 0 ? 1 : used}
        aria-label={said}
      />
      <small>{words.resets(resets.slice(0, 10))}</small>
    </div>
  );
}
