/** An error with what to do next. */
import { signInFrom } from '../../model/address.js';
import { explained } from '../../model/explained.js';
import type { ApiError } from '../api.js';
import { useSession, useTexts } from '../context.js';

/** Codes of a 503 with a cause of their own. */
const EXPLAINED: ReadonlySet<string> = new Set(['unavailable', 'no_data', 'cancelled']);

interface Props {
  error: ApiError;
  /** What failed. Default: the search. */
  heading?: string;
  onRetry?(): void;
}

export function Failure({ error, heading, onRetry }: Props) {
  const texts = useTexts();
  const { errors } = texts;
  const session = useSession();
  const account = session.status === 'known' ? session.session.account : undefined;
  const needsSignIn = error.status === 401 || error.status === 403;
  const advice = adviceFor(error, errors, account?.resets_at.slice(0, 10));
  const message = advice === undefined || error.status === 403 ? explained(error, texts) : '';
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{advice ?? heading ?? errors.heading}</strong>
      </p>
      {message !== '' && <p>{message}</p>}
      <p class="note-actions">
        {needsSignIn && <SignInLink />}
        {onRetry && !needsSignIn && (
          <button type="button" class="button" onClick={onRetry}>
            {errors.again}
          </button>
        )}
        {error.status >= 500 && error.requestId !== '' && <small>{errors.request(error.requestId)}</small>}
      </p>
    </div>
  );
}

/** The way to the sign-in, and from there back to this view. */
export function SignInLink() {
  const { errors } = useTexts();
  return (
    <a class="button" href={signInFrom(location.hash)}>
      {errors.toSignIn}
    </a>
  );
}

/**
 * What a person does next.
 * @param nextMonth when the account's next month begins, if that is known
 * @returns undefined if the page says why it failed instead
 */
function adviceFor(
  { code, status, retryAfter }: ApiError,
  errors: ReturnType<typeof useTexts>['errors'],
  nextMonth: string | undefined,
): string | undefined {
  if (code === 'unreachable') return errors.unreachable;
  if (code === 'maintenance') return errors.maintenance(retryAfter);
  if (code === 'session_ended') return errors.ended;
  if (status === 401 || status === 403) return errors.signIn;
  // A second: other searches hold the rest of the quota, and may give it back.
  if (code === 'quota_exceeded' && retryAfter !== 1) return errors.quota(nextMonth);
  const isBusy = status === 429 || (status === 503 && !EXPLAINED.has(code));
  if (isBusy && retryAfter > 0) return errors.busy(retryAfter);
  return undefined;
}
