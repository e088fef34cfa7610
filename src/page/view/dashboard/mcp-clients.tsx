/** Clients of MCP: the access that accounts gave, to be ended, and which tools the keys use. */
import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import {
  accountsOf,
  change,
  type Grant,
  get,
  type Key,
  queryOf,
  type Role,
  type UsageRow,
  useData,
} from './data.js';
import { Form } from './form.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

const DAYS = 30;
const DAY_MS = 86_400_000;
/** Endpoint of a tool call in the log. */
const TOOL = 'mcp.';

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export function McpClients({ role }: { role: Role }) {
  const texts = useDashboardTexts();
  const { mcp: words } = texts;
  const { data, error, reload } = useData(async () => {
    const [{ grants }, { keys }, { usage }, accounts] = await Promise.all([
      get<{ grants: Grant[] }>(role, '/grants'),
      get<{ keys: Key[] }>(role, '/keys'),
      // A damaged log hides no client.
      get<{ usage: UsageRow[] }>(role, `/usage${queryOf({ from: daysAgo(DAYS - 1), to: daysAgo(0) })}`).catch(
        () => ({ usage: [] }),
      ),
      accountsOf(role),
    ]);
    return { grants, keys, usage, accounts };
  }, []);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const { grants, keys, usage, accounts } = data;
  const nameOf = (id: string) => accounts.find((account) => account.id === id)?.name ?? id;
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
      <ToolCalls usage={usage} keys={keys} />
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
  const { id, client_name: name, created_at: since, last_used_at: used } = grant;
  return (
    <li class="key-row">
      <div>
        <strong>{name}</strong> <code>{grant.client_id}</code>
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
          <p role="alert">{words.confirm(name)}</p>
          <button type="button" class="button" onClick={() => setEnding(false)}>
            {keys.cancel}
          </button>
        </Form>
      ) : (
        <div class="key-actions">
          <button type="button" class="button" onClick={() => setEnding(true)}>
            {words.end} <span class="unseen">{name}</span>
          </button>
        </div>
      )}
    </li>
  );
}

/** Calls of tools, by key and tool, most first. */
function ToolCalls({ usage, keys }: { usage: readonly UsageRow[]; keys: readonly Key[] }) {
  const { number } = useTexts();
  const { mcp: words, usage: more } = useDashboardTexts();
  const counts = new Map<string, { key: string; tool: string; calls: number }>();
  for (const { key, endpoint, requests } of usage.filter((row) => row.endpoint.startsWith(TOOL))) {
    const tool = endpoint.slice(TOOL.length);
    const name = `${key} ${tool}`;
    counts.set(name, { key, tool, calls: (counts.get(name)?.calls ?? 0) + requests });
  }
  if (counts.size === 0) return <p>{more.none}</p>;
  const names = new Map(keys.map(({ id, name }) => [id, name]));
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
