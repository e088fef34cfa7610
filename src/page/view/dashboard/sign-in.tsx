/** The sign-in: an account with its password, or the operator with the administrator's secret. */
import { useState } from 'preact/hooks';
import { backOf } from '../../model/address.js';
import { call } from '../api.js';
import { useSessionHandle } from '../context.js';
import { maintenance } from '../maintenance.js';
import { rememberOperator } from '../operator.js';
import { goOnTo } from '../router.js';
import type { SessionAnswer } from '../session.js';
import type { Role } from './data.js';
import { Field, Form } from './form.js';
import { useDashboardTexts } from './texts.js';

interface Props {
  session: SessionAnswer;
  /** Of the address: to where a sign-in of an account leads back. */
  parameters: URLSearchParams;
  /** Id of the heading. */
  heading: string;
}

export function SignIn({ session, parameters, heading }: Props) {
  const { signIn } = useDashboardTexts();
  const { replace } = useSessionHandle();
  const isDown = maintenance.use() !== undefined;
  const [chosen, setRole] = useState<Role>();
  const role = chosen ?? (isDown ? 'operator' : 'account');
  const asAccount = async ({ account, password }: Record<string, string>) => {
    replace(await call<SessionAnswer>('POST', 'session', { body: { account, password } }));
    const back = backOf(parameters);
    if (back !== undefined) goOnTo(back);
  };
  const asOperator = async ({ secret }: Record<string, string>) => {
    await call('POST', 'admin/api/v1/session', { body: { secret } });
    rememberOperator();
  };
  return (
    <div class="dashboard sign-in">
      <h1 id={heading} tabIndex={-1}>
        {signIn.heading}
      </h1>
      {isDown && <p class="note warn">{signIn.maintenance}</p>}
      {session.kind === 'visitor' && <p>{signIn.visitor}</p>}
      <fieldset class="sign-in-roles">
        <legend class="unseen">{signIn.who}</legend>
        {(['account', 'operator'] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="role" checked={role === one} onChange={() => setRole(one)} />
            {signIn[one]}
          </label>
        ))}
      </fieldset>
      {role === 'account' && !session.can_sign_in && (
        <div class="note">
          <p>{signIn.noPasswords}</p>
          <details>
            <summary>{signIn.forOperator}</summary>
            <code>priorart accounts password NAME</code>
          </details>
        </div>
      )}
      {role === 'account' ? (
        <Form key="account" label={signIn.heading} submit={signIn.submit} onSend={asAccount}>
          <Field name="account" label={signIn.name} complete="username" />
          <Field name="password" label={signIn.password} type="password" complete="current-password" />
        </Form>
      ) : (
        <Form key="operator" label={signIn.heading} submit={signIn.submit} onSend={asOperator}>
          <Field name="secret" label={signIn.secret} type="password" hint={signIn.secretHelp} />
        </Form>
      )}
    </div>
  );
}
