/** All accounts, for the operator: create, plan, password, sessions. */
import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { type Account, accountsOf, change, useData } from './data.js';
import { Field, Form } from './form.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

const PLANS = ['free', 'basic', 'pro', 'enterprise'];
const ROLE = 'operator';

function PlanFields({ plan = 'free', quota }: { plan?: string; quota?: number }) {
  const { accounts: words } = useDashboardTexts();
  const [chosen, setChosen] = useState(plan);
  return (
    <>
      <label>
        <span>{words.plan}</span>
        <select name="plan" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          {PLANS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {chosen === 'enterprise' && (
        <Field name="quota" label={words.quota} value={String(quota ?? 1_000_000)} />
      )}
    </>
  );
}

const planOf = ({ plan, quota }: Record<string, string>) => ({
  plan,
  ...(quota === undefined ? {} : { monthly_quota: Number(quota) }),
});

export function Accounts() {
  const texts = useDashboardTexts();
  const { accounts: words } = texts;
  const { data, error, reload } = useData(() => accountsOf(ROLE), []);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  return (
    <section>
      <h2>{words.create}</h2>
      <Form
        label={words.create}
        submit={words.create}
        onSend={async (fields, form) => {
          await change(ROLE, 'POST', '/accounts', { name: fields['name'], ...planOf(fields) });
          form.reset();
          reload();
        }}
      >
        <Field name="name" label={words.name} />
        <PlanFields />
      </Form>
      <h2>{texts.tabs.accounts}</h2>
      <ul class="key-list">
        {data.map((account) => (
          <AccountRow key={account.id} account={account} onChange={reload} />
        ))}
      </ul>
    </section>
  );
}

function AccountRow({ account, onChange }: { account: Account; onChange(): void }) {
  const { number } = useTexts();
  const { accounts: words, usage } = useDashboardTexts();
  const [isDone, setDone] = useState(false);
  const { id, name, plan, monthly_quota: quota, quota: state } = account;
  const done = () => {
    setDone(true);
    onChange();
  };
  return (
    <li class="key-row">
      <div>
        <strong>{name}</strong> <code>{id}</code>
        <p class="key-facts">
          <span>{plan}</span>
          <span>{usage.quota(number(state.used), number(quota))}</span>
        </p>
      </div>
      <details>
        <summary>
          {words.change} · {words.password} <span class="unseen">{name}</span>
        </summary>
        <Form
          label={words.change}
          submit={words.change}
          onSend={async (fields) => {
            await change(ROLE, 'PATCH', `/accounts/${id}`, planOf(fields));
            done();
          }}
        >
          <PlanFields plan={plan} quota={quota} />
        </Form>
        <Form
          label={words.setPassword}
          submit={words.setPassword}
          onSend={async ({ password }, form) => {
            await change(ROLE, 'POST', `/accounts/${id}/password`, { password });
            form.reset();
            done();
          }}
        >
          <Field name="password" label={words.newPassword} type="password" complete="new-password" />
        </Form>
        <Form
          label={words.removePassword}
          submit={words.removePassword}
          onSend={async () => {
            await change(ROLE, 'DELETE', `/accounts/${id}/password`);
            done();
          }}
        >
          {null}
        </Form>
        <Form
          label={words.endSessions}
          submit={words.endSessions}
          onSend={async () => {
            await change(ROLE, 'DELETE', `/accounts/${id}/sessions`);
            done();
          }}
        >
          {null}
        </Form>
        <p role="status">{isDone ? words.done : ''}</p>
      </details>
    </li>
  );
}
