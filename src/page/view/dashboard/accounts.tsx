/** All accounts, for the operator: create, plan, password, sessions. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linkTo } from '../../model/address.js';
import { isolated } from '../../model/isolated.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { type Account, accountsOf, change, get, useData } from './data.js';
import { Asked, clear, Field, Form, NewPasswordField, useStepFocus } from './form.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

interface Plan {
  plan: string;
  monthly_quota: number;
  /** Whether its accounts have quotas of their own. */
  custom: boolean;
}

const ROLE = 'operator';

interface PlanProps {
  plans: readonly Plan[];
  plan?: string;
  quota?: number;
}

function PlanFields({ plans, plan = 'free', quota }: PlanProps) {
  const { number } = useTexts();
  const { accounts: words } = useDashboardTexts();
  const [chosen, setChosen] = useState(plan);
  const own = plans.find((one) => one.plan === chosen && one.custom);
  return (
    <>
      <label>
        <span>{words.plan}</span>
        <select name="plan" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          {plans.map(({ plan: one, monthly_quota: searches, custom }) => (
            <option key={one} value={one}>
              {custom ? words.ownSize(one) : words.planSize(one, number(searches))}
            </option>
          ))}
        </select>
      </label>
      {own && <Field name="quota" label={words.quota} value={String(quota ?? own.monthly_quota)} />}
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
  const { data, error, reload } = useData(async () => {
    const [accounts, { plans }] = await Promise.all([
      accountsOf(ROLE),
      get<{ plans: Plan[] }>(ROLE, '/plans'),
    ]);
    return { accounts, plans };
  }, []);
  const [deleted, setDeleted] = useState('');
  const place = useStepFocus<HTMLDivElement>(deleted);
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
        <PlanFields plans={data.plans} />
      </Form>
      <h2>{texts.tabs.accounts}</h2>
      <div ref={place}>
        <p role="status" class="good" tabIndex={-1}>
          {deleted && words.done}
        </p>
        <ul class="key-list">
          {data.accounts
            // Its card goes at once, and the focus to the status.
            .filter(({ id }) => id !== deleted)
            .map((account) => (
              <AccountRow
                key={account.id}
                account={account}
                plans={data.plans}
                onChange={reload}
                onDelete={setDeleted}
              />
            ))}
        </ul>
      </div>
    </section>
  );
}

interface RowProps {
  account: Account;
  plans: readonly Plan[];
  onChange(): void;
  onDelete(id: string): void;
}

function AccountRow({ account, plans, onChange, onDelete }: RowProps) {
  const { number } = useTexts();
  const { accounts: words, usage } = useDashboardTexts();
  const { id, name, plan, monthly_quota: quota, quota: state, has_password: hasPassword } = account;
  // Said by the card, because the button of this change goes with the password.
  const [isRemoved, setRemoved] = useState(false);
  return (
    <li class="key-row">
      <div>
        <bdi>
          <strong>{name}</strong>
        </bdi>{' '}
        <code>{id}</code>
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
          {words.change} · {words.password} · {words.revokeKeys} <span class="unseen">{name}</span>
        </summary>
        <Step
          label={words.change}
          done={words.planChanged}
          method="PATCH"
          path={`/accounts/${id}`}
          body={planOf}
          onDone={onChange}
        >
          <PlanFields plans={plans} plan={plan} quota={quota} />
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
          <NewPasswordField />
        </Step>
        <Step
          label={words.revokeKeys}
          done={words.keysRevoked}
          hint={words.revokeKeysHint}
          method="DELETE"
          path={`/accounts/${id}/keys`}
          onDone={onChange}
          question={words.confirmRevokeKeys(isolated(name))}
          yes={words.yesRevokeKeys}
        />
        {hasPassword && (
          <Step
            label={words.endSessions}
            done={words.sessionsEnded}
            hint={words.endSessionsHint}
            method="DELETE"
            path={`/accounts/${id}/sessions`}
            onDone={onChange}
            question={words.confirmEndSessions(isolated(name))}
            yes={words.yesEndSessions}
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
            question={words.confirmRemovePassword(isolated(name))}
            yes={words.yesRemovePassword}
          />
        )}
        <Step
          label={words.delete}
          done=""
          method="DELETE"
          path={`/accounts/${id}`}
          onDone={() => {
            onDelete(id);
            onChange();
          }}
          question={words.confirmDelete(isolated(name))}
        />
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
  /** Asked before the change, with the button that makes it; absent: the change is made at once. */
  question?: string;
  yes?: string;
  children?: ComponentChildren;
}

/** One change of an account, with what it did beside its button. */
function Step({ label, done, hint, method, path, body, onDone, question, yes, children }: StepProps) {
  const { keys } = useDashboardTexts();
  const [state, setState] = useState<'open' | 'asking' | 'done'>('open');
  const place = useStepFocus<HTMLDivElement>(state);
  const send = async (fields: Record<string, string>, form: HTMLFormElement) => {
    if (question === undefined) setState('open');
    await change(ROLE, method, path, body?.(fields));
    clear(form, 'password');
    setState('done');
    onDone();
  };
  return (
    <div class="step" ref={place}>
      {hint && <p class="soft">{hint}</p>}
      {question !== undefined && state !== 'asking' ? (
        <div>
          <button type="button" class="button" data-opens="asking" onClick={() => setState('asking')}>
            {label}
          </button>
        </div>
      ) : (
        <Form label={label} submit={yes ?? label} onSend={send}>
          {question !== undefined && <Asked text={question} />}
          {children}
          {question !== undefined && (
            <button type="button" class="button" onClick={() => setState('open')}>
              {keys.cancel}
            </button>
          )}
        </Form>
      )}
      <p role="status" class="good">
        {state === 'done' ? done : ''}
      </p>
    </div>
  );
}
