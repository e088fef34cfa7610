/** Says how to get in, if the visitor cannot search yet. */
import { useSession, useTexts } from '../context.js';
import { Failure, SignInLink } from '../parts/failure.js';

export function SignInNote() {
  const state = useSession();
  const { errors } = useTexts();
  if (state.status === 'failed') return <Failure error={state.error} />;
  if (state.status === 'waiting' || state.session.kind !== 'none') return null;
  return (
    <div class="note">
      <p>{state.session.can_sign_in ? errors.noVisitors : errors.noKeys}</p>
      <details>
        <summary>{errors.forOperator}</summary>
        <p>
          <code>priorart serve --page-account NAME</code> {errors.letsVisit}
        </p>
        <p>
          <code>priorart accounts password NAME</code> {errors.letsSignIn}
        </p>
      </details>
      {state.session.can_sign_in && (
        <p class="note-actions">
          <SignInLink />
        </p>
      )}
    </div>
  );
}
