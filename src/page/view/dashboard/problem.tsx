/** A failed call of the dashboard, with the server's own words. */
import type { ApiError } from '../api.js';
import { useTexts } from '../context.js';

export function Problem({ error, onRetry }: { error: ApiError; onRetry?(): void }) {
  const { errors } = useTexts();
  return (
    <div class="note bad" role="alert">
      <p>
        {error.code === 'unreachable'
          ? errors.unreachable
          : error.message || errors.unexplained(error.status)}
      </p>
      {onRetry && (
        <p>
          {error.status === 401 ? (
            // The session has ended. The page reads the session again, and shows the sign-in.
            <button type="button" class="button" onClick={() => location.reload()}>
              {errors.toSignIn}
            </button>
          ) : (
            <button type="button" class="button" onClick={onRetry}>
              {errors.again}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
