/** All accounts, for the operator: create, plan, password, sessions. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linkTo } from '../../model/address.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { type Account, accountsOf, change, useData } from './data.js';
import { clear, Field, Form, PASSWORD_MIN_CHARS } from './form.js';
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
  const { id, name, plan, monthly_quota: quota, quota: state, has_password: hasPassword } = account;
  // Said by the card, because the button of this change goes with the password.
  const [isRemoved, setRemoved] = useState(false);
  return (
    <li class="key-row">
      <div>
        <strong>{name}</strong> <code>{id}</code>
        <p class="key-facts">
          <span>{plan}</span>
          <span>{usage.quota(number(state.used), number(quota))}</span>
          <span>{hasPassword ? words.hasPassword : words.hasNoPassword}</span>
          <a href={linkTo(['dashboard', 'keys'], new URLSearchParams({ account: id }))}>
            {words.itsKeys} <span class="unseen">{name}</span>
          </a>
        </p>
      </div>
      <details>
        <summary>
          {words.change} · {words.password} <span class="unseen">{name}</span>
        </summary>
        <Step
          label={words.change}
          done={words.planChanged}
          method="PATCH"
          path={`/accounts/${id}`}
          body={planOf}
          onDone={onChange}
        >
          <PlanFields plan={plan} quota={quota} />
        </Step>
        <Step
          label={hasPassword ? words.replacePassword : words.setPassword}
          done={words.passwordSet}
          method="POST"
          path={`/accounts/${id}/password`}
          body={({ password }) => ({ password })}
          onDone={() => {
            setRemoved(false);
            onChange();
          }}
        >
          <Field
            name="password"
            label={words.newPassword}
            type="password"
            complete="new-password"
            minLength={PASSWORD_MIN_CHARS}
          />
        </Step>
        {hasPassword && (
          <Step
            label={words.endSessions}
            done={words.sessionsEnded}
            hint={words.endSessionsHint}
            method="DELETE"
            path={`/accounts/${id}/sessions`}
            onDone={onChange}
            isPlain
          />
        )}
        {hasPassword && (
          <Step
            label={words.removePassword}
            done={words.passwordRemoved}
            hint={words.removePasswordHint}
            method="DELETE"
            path={`/accounts/${id}/password`}
            onDone={() => {
              setRemoved(true);
              onChange();
            }}
            isPlain
          />
        )}
        <p role="status" class="good">
          {isRemoved ? words.passwordRemoved : ''}
        </p>
      </details>
    </li>
  );
}

interface StepProps {
  label: string;
  /** Said after the change. */
  done: string;
  hint?: string;
  method: 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?(fields: Record<string, string>): object;
  onDone(): void;
  isPlain?: boolean;
  children?: ComponentChildren;
}

/** One change of an account, with what it did beside its button. */
function Step({ label, done, hint, method, path, body, onDone, isPlain = false, children }: StepProps) {
  const [isDone, setDone] = useState(false);
  const send = async (fields: Record<string, string>, form: HTMLFormElement) => {
    setDone(false);
    await change(ROLE, method, path, body?.(fields));
    clear(form, 'password');
    setDone(true);
    onDone();
  };
  return (
    <div class="step">
      {hint && <p class="soft">{hint}</p>}
      <Form label={label} submit={label} isPlain={isPlain} onSend={send}>
        {children}
      </Form>
      <p role="status" class="good">
        {isDone ? done : ''}
      </p>
    </div>
  );
}
