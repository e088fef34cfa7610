/** Keys: create (shown once), rename, revoke with a confirmation. */
import { useEffect, useState } from 'preact/hooks';
import { linkTo } from '../../model/address.js';
import { distinctNames } from '../../model/distinct-names.js';
import { curlOf } from '../../model/export.js';
import { foundKeys } from '../../model/found-keys.js';
import { isolated } from '../../model/isolated.js';
import { useTexts } from '../context.js';
import { Copy } from '../parts/copy.js';
import { Progress } from '../parts/progress.js';
import { serverAddress } from '../router.js';
import { type Account, accountsOf, change, type Key, keysOf, type Role, useData } from './data.js';
import { Asked, clear, Field, Form, useStepFocus } from './form.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

/** As ENVIRONMENT_FORM in access/rules.ts. The server checks it. */
const ENVIRONMENT = '[a-z0-9][a-z0-9_\\-]{0,31}';

interface NewKeyAnswer {
  id: string;
  secret: string;
}

/** @param of id of an account, whose keys an operator wants to see; absent: all */
export function Keys({ role, of }: { role: Role; of?: string | undefined }) {
  const texts = useDashboardTexts();
  const { keys: words } = texts;
  const { data, error, reload } = useData(
    async () => ({ keys: await keysOf(role), accounts: await accountsOf(role) }),
    [],
  );
  const [made, setMade] = useState<NewKeyAnswer>();
  const [chosen, setChosen] = useState(of ?? '');
  const [asked, setAsked] = useState('');
  useEffect(() => setChosen(of ?? ''), [of]);
  // A user who comes back to the page sees which keys were used meanwhile.
  useEffect(() => {
    addEventListener('focus', reload);
    return () => removeEventListener('focus', reload);
  }, [reload]);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const keys = of === undefined ? data.keys : data.keys.filter(({ account }) => account === of);
  const accountNames = distinctNames(data.accounts);
  const nameOf = (id: string) => accountNames.get(id) ?? id;
  const found = foundKeys(keys, asked, ({ account }) => nameOf(account));
  const isRevoked = data.keys.some(({ id, state }) => id === made?.id && state !== 'active');
  const create = async (fields: Record<string, string>, form: HTMLFormElement) => {
    setMade(await createKey(role, data.accounts, fields));
    // The account stays chosen: its next key is often wanted, too.
    clear(form, 'name');
    reload();
  };
  return (
    <section>
      <h2>{words.create}</h2>
      <Form label={words.create} submit={words.create} onSend={create}>
        {role === 'operator' && (
          <label>
            <span>{words.account}</span>
            <select
              name="account"
              required
              value={chosen}
              onChange={(event) => setChosen(event.currentTarget.value)}
            >
              <option value="">{words.choose}</option>
              {[...accountNames].map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <Field name="name" label={words.name} />
        <Field
          name="environment"
          label={words.environment}
          value="production"
          hint={words.environmentHint}
          pattern={ENVIRONMENT}
        />
      </Form>
      {made && !isRevoked && <NewKey secret={made.secret} />}
      <h2>{texts.tabs.keys}</h2>
      {of !== undefined && (
        <p>
          {words.of(nameOf(of))} <a href={linkTo(['dashboard', 'keys'])}>{words.all}</a>
        </p>
      )}
      {keys.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <div class="find-key">
          <label for="find-key">{words.find}</label>
          <input
            id="find-key"
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={asked}
            onInput={(event) => setAsked(event.currentTarget.value)}
          />
          <small role="status">{asked !== '' && words.found(found.length, keys.length)}</small>
        </div>
      )}
      {keys.length > 0 && (
        <ul class="key-list">
          {found.map((key) => (
            <KeyRow
              key={key.id}
              role={role}
              row={key}
              account={role === 'operator' ? nameOf(key.account) : undefined}
              onChange={reload}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

async function createKey(role: Role, accounts: readonly Account[], fields: Record<string, string>) {
  const { account = '', environment = '', name = '' } = fields;
  if (role === 'account') return change<NewKeyAnswer>(role, 'POST', '/keys', { environment, name });
  // The operator's endpoint refuses environments that the account does not have.
  const known = accounts.find(({ id }) => id === account)?.environments ?? [];
  if (!known.includes(environment))
    await change(role, 'POST', `/accounts/${account}/environments`, { name: environment });
  return change<NewKeyAnswer>(role, 'POST', '/keys', { account, environment, name });
}

/** What a new key is tried with. */
const TRIAL = { top_k: 3 };

/** The new key, and a line for a shell that searches with it. */
function NewKey({ secret }: { secret: string }) {
  const { start } = useTexts();
  const { keys: words } = useDashboardTexts();
  const curl = curlOf(serverAddress(), { query: start.examples[0]!, ...TRIAL }, secret);
  return (
    <div class="note warn new-key" role="status">
      <strong>{words.made}</strong>
      <code>{secret}</code>
      <Copy label={words.copy} text={() => secret} />
      <p>{words.once}</p>
      <p>
        {words.tryIt} <Copy label={words.copyLine} text={() => curl} />
      </p>
      <pre>{curl}</pre>
    </div>
  );
}

interface RowProps {
  role: Role;
  row: Key;
  account: string | undefined;
  onChange(): void;
}

function KeyRow({ role, row, account, onChange }: RowProps) {
  const { keys: words } = useDashboardTexts();
  const [mode, setMode] = useState<'shown' | 'renaming' | 'revoking' | 'revoked'>('shown');
  const place = useStepFocus<HTMLLIElement>(mode);
  const done = (next: 'shown' | 'revoked') => {
    setMode(next);
    onChange();
  };
  const revoke = () => {
    setMode('revoking');
    // Whether the key is in use is read again before it is revoked for ever.
    onChange();
  };
  const path = `/keys/${encodeURIComponent(row.id)}`;
  const isOfPage = row.id.startsWith('page_');
  return (
    <li class="key-row" ref={place}>
      <div>
        <bdi>
          <strong>{isOfPage ? words.page : row.name}</strong>
        </bdi>{' '}
        <code>{row.id}</code> {row.prefix !== undefined && <code>{row.prefix}…</code>}
        <p class="key-facts">
          {account !== undefined && <span>{account}</span>}
          <span>{row.environment}</span>
          <span class={row.state}>{words[row.state]}</span>
          <span>{words.createdOn(row.created_at.slice(0, 10))}</span>
          <span>
            {row.last_used_at
              ? words.lastUsed(`${row.last_used_at.slice(0, 16).replace('T', ' ')} UTC`)
              : words.unused}
          </span>
        </p>
      </div>
      {(mode === 'shown' || mode === 'revoked') && !isOfPage && (
        <div class="key-actions">
          <button type="button" class="button" data-opens="renaming" onClick={() => setMode('renaming')}>
            {words.rename} <span class="unseen">{row.name}</span>
          </button>
          {row.state === 'active' && mode === 'shown' && (
            <button type="button" class="button" data-opens="revoking" onClick={revoke}>
              {words.revoke} <span class="unseen">{row.name}</span>
            </button>
          )}
        </div>
      )}
      {mode === 'renaming' && (
        <Form
          label={words.rename}
          submit={words.save}
          onSend={async ({ name }) => {
            await change(role, 'PATCH', path, { name });
            done('shown');
          }}
        >
          <Field name="name" label={words.name} value={row.name} />
          <button type="button" class="button" onClick={() => setMode('shown')}>
            {words.cancel}
          </button>
        </Form>
      )}
      {mode === 'revoking' && (
        <Form
          label={words.revoke}
          submit={words.yes}
          onSend={async () => {
            await change(role, 'POST', `${path}/revoke`);
            done('revoked');
          }}
        >
          <Asked text={words.confirm(isolated(row.name))} />
          <button type="button" class="button" onClick={() => setMode('shown')}>
            {words.cancel}
          </button>
        </Form>
      )}
    </li>
  );
}
