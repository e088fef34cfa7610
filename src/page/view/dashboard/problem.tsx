/** A failed call of the dashboard. */
import { explained } from '../../model/explained.js';
import type { ApiError } from '../api.js';
import { useTexts } from '../context.js';

export function Problem({ error, onRetry }: { error: ApiError; onRetry?(): void }) {
  const texts = useTexts();
  const { errors } = texts;
  return (
    <div class="note bad" role="alert">
      <p>{explained(error, texts)}</p>
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
