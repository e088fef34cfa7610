/** Begins and ends maintenance, with a confirmation. */
import { useState } from 'preact/hooks';
import { maintenance, toldOperator } from '../maintenance.js';
import { change } from './data.js';
import { Asked, Field, Form, useStepFocus } from './form.js';
import { useDashboardTexts } from './texts.js';

/** As in limits.ts, s. */
const RETRY_S = 120;

interface State {
  since?: string;
  retry_after?: number;
}

export function MaintenanceSwitch({ onChange }: { onChange(): void }) {
  const { maintenance: words, keys } = useDashboardTexts();
  const state = maintenance.use();
  const [isAsking, setAsking] = useState(false);
  const place = useStepFocus<HTMLDivElement>(isAsking ? 'asking' : '');
  const set = async (on: boolean, retryAfter?: number) => {
    const body = { on, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
    toldOperator(await change<State>('operator', 'POST', '/maintenance', body));
    setAsking(false);
    onChange();
  };
  return (
    <div ref={place}>
      <h2>{words.heading}</h2>
      <p role="status">
        {state ? words.on(state.since?.replace('T', ' ').slice(0, 19), state.retryAfter) : words.off}
      </p>
      {isAsking ? (
        <Form
          label={words.heading}
          submit={state ? words.yesEnd : words.yesBegin}
          onSend={({ retry_after }) => set(!state, state ? undefined : Number(retry_after))}
        >
          <Asked text={state ? words.confirmEnd : words.confirmBegin} />
          {!state && <Field name="retry_after" label={words.retryAfter} value={String(RETRY_S)} />}
          <button type="button" class="button" onClick={() => setAsking(false)}>
            {keys.cancel}
          </button>
        </Form>
      ) : (
        <p>
          <button type="button" class="button" data-opens="asking" onClick={() => setAsking(true)}>
            {state ? words.end : words.begin}
          </button>
        </p>
      )}
    </div>
  );
}
