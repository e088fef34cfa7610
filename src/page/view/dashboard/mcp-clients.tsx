/** Clients of MCP: the access that accounts gave, to be ended, and which tools the keys use. */
import { useState } from 'preact/hooks';
import { distinctNames } from '../../model/distinct-names.js';
import { isolated } from '../../model/isolated.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import {
  accountsOf,
  change,
  type Grant,
  get,
  type Key,
  keysOf,
  lastDays,
  type Role,
  usageOf,
  useData,
} from './data.js';
import { Asked, Form, useStepFocus } from './form.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

const DAYS = 30;
/** Endpoint of a tool call in the log. */
const TOOL = 'mcp.';

/** Without a sign-in for clients on this server: how they have access, and which tools they use. */
export function McpWithoutSignIn({ role }: { role: Role }) {
  const texts = useDashboardTexts();
  const { mcp: words } = texts;
  const { data, error, reload } = useData(() => keysOf(role), []);
  return (
    <section>
      <h2>{texts.tabs.mcp}</h2>
      <p>{words.noSignIn}</p>
      <h2>{words.calls(DAYS)}</h2>
      {error && <Problem error={error} onRetry={reload} />}
      {data && <ToolCalls role={role} keys={data} />}
    </section>
  );
}

export function McpClients({ role }: { role: Role }) {
  const texts = useDashboardTexts();
  const { mcp: words } = texts;
  const { data, error, reload } = useData(async () => {
    const [{ grants }, keys, accounts] = await Promise.all([
      get<{ grants: Grant[] }>(role, '/grants'),
      keysOf(role),
      accountsOf(role),
    ]);
    return { grants, keys, accounts };
  }, []);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const { grants, keys, accounts } = data;
  const accountNames = distinctNames(accounts);
  const nameOf = (id: string) => accountNames.get(id) ?? id;
  return (
    <section>
      <h2>{texts.tabs.mcp}</h2>
      <p>{words.about}</p>
      {grants.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <ul class="key-list">
          {grants.map((grant) => (
            <GrantRow
              key={grant.id}
              role={role}
              grant={grant}
              account={role === 'operator' ? nameOf(grant.account) : undefined}
              onChange={reload}
            />
          ))}
        </ul>
      )}
      <h2>{words.calls(DAYS)}</h2>
      <ToolCalls role={role} keys={keys} />
    </section>
  );
}

interface RowProps {
  role: Role;
  grant: Grant;
  account: string | undefined;
  onChange(): void;
}

function GrantRow({ role, grant, account, onChange }: RowProps) {
  const { keys, mcp: words } = useDashboardTexts();
  const [isEnding, setEnding] = useState(false);
  const place = useStepFocus<HTMLLIElement>(isEnding ? 'ending' : '');
  const { id, client_name: name, created_at: since, last_used_at: used } = grant;
  return (
    <li class="key-row" ref={place}>
      <div>
        <bdi>
          <strong>{name}</strong>
        </bdi>{' '}
        <code>{grant.client_id}</code>
        <p class="key-facts">
          {account !== undefined && <span>{account}</span>}
          <span>{words.since(since.slice(0, 10))}</span>
          <span>{used === undefined ? words.unused : words.used(used.slice(0, 16).replace('T', ' '))}</span>
        </p>
      </div>
      {isEnding ? (
        <Form
          label={words.end}
          submit={words.yes}
          onSend={async () => {
            await change(role, 'POST', `/grants/${encodeURIComponent(id)}/revoke`);
            onChange();
          }}
        >
          <Asked text={words.confirm(isolated(name))} />
          <button type="button" class="button" onClick={() => setEnding(false)}>
            {keys.cancel}
          </button>
        </Form>
      ) : (
        <div class="key-actions">
          <button type="button" class="button" data-opens="ending" onClick={() => setEnding(true)}>
            {words.end} <span class="unseen">{name}</span>
          </button>
        </div>
      )}
    </li>
  );
}

/** Calls of tools, by key and tool, most first. They are read apart from the clients: a damaged log hides no client. */
function ToolCalls({ role, keys }: { role: Role; keys: readonly Key[] }) {
  const { number } = useTexts();
  const { loading, mcp: words, usage: more } = useDashboardTexts();
  const { data, error, reload } = useData(() => {
    const days = lastDays(DAYS);
    return usageOf(role, { from: days[0], to: days.at(-1) });
  }, []);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={loading} />;
  const counts = new Map<string, { key: string; tool: string; calls: number }>();
  for (const { key, endpoint, requests } of data.filter((row) => row.endpoint.startsWith(TOOL))) {
    const tool = endpoint.slice(TOOL.length);
    const name = `${key} ${tool}`;
    counts.set(name, { key, tool, calls: (counts.get(name)?.calls ?? 0) + requests });
  }
  if (counts.size === 0) return <p>{more.none}</p>;
  // The table does not name accounts: equal names are told apart in all of them.
  const names = distinctNames(keys.map(({ id, name }) => ({ id, name })));
  return (
    <Scrolled label={words.calls(DAYS)}>
      <table class="narrow">
        <thead>
          <tr>
            <th scope="col">{more.key}</th>
            <th scope="col">{words.tool}</th>
            <th scope="col" class="figure">
              {more.requests}
            </th>
          </tr>
        </thead>
        <tbody>
          {[...counts]
            .sort(([, a], [, b]) => b.calls - a.calls)
            .map(([name, { key, tool, calls }]) => (
              <tr key={name}>
                <td title={key}>{names.get(key) ?? key}</td>
                <td>{tool}</td>
                <td class="figure">{number(calls)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
