/** An error with what to do next. */
import type { ApiError } from '../api.js';
import { useTexts } from '../context.js';

interface Props {
  error: ApiError;
  /** What failed. Default: the search. */
  heading?: string;
  onRetry?(): void;
}

export function Failure({ error, heading, onRetry }: Props) {
  const { errors } = useTexts();
  const needsSignIn = error.status === 401 || error.status === 403;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{adviceFor(error, errors, heading)}</strong>
      </p>
      {error.message !== '' && error.code !== 'unreachable' && <p>{error.message}</p>}
      <p class="note-actions">
        {needsSignIn && (
          <a class="button" href="#/dashboard">
            {errors.toSignIn}
          </a>
        )}
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

function adviceFor(
  { code, status, retryAfter }: ApiError,
  errors: ReturnType<typeof useTexts>['errors'],
  heading = errors.heading,
) {
  if (code === 'unreachable') return errors.unreachable;
  if (code === 'maintenance') return errors.maintenance(retryAfter);
  if (status === 401 || status === 403) return errors.signIn;
  if (code === 'quota_exceeded') return errors.quota;
  if ((status === 429 || status === 503) && retryAfter > 0) return errors.busy(retryAfter);
  return heading;
}
