/** The own account: plan, environments, change of the password. */
import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { type Account, change, get, useData } from './data.js';
import { Field, Form, NewPasswordField } from './form.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

export function AccountSettings() {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { accounts: words } = texts;
  const { data, error, reload } = useData(() => get<Account>('account', ''), []);
  const [isDone, setDone] = useState(false);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  return (
    <section>
      <dl class="facts">
        <dt>{words.name}</dt>
        <dd>{data.name}</dd>
        <dt>Id</dt>
        <dd>
          <code>{data.id}</code>
        </dd>
        <dt>{words.plan}</dt>
        <dd>{data.plan}</dd>
        <dt>{words.quota}</dt>
        <dd>{number(data.monthly_quota)}</dd>
        <dt>{words.environments}</dt>
        <dd>{data.environments.join(', ')}</dd>
      </dl>
      <h2>{words.changePassword}</h2>
      <Form
        label={words.changePassword}
        submit={words.changePassword}
        onSend={async ({ current, password }, form) => {
          await change('account', 'POST', '/password', { current, password });
          form.reset();
          setDone(true);
        }}
      >
        <Field name="current" label={words.current} type="password" complete="current-password" />
        <NewPasswordField />
      </Form>
      <p role="status">{isDone ? words.done : ''}</p>
    </section>
  );
}
