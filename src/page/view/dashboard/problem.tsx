/** A failed call of the dashboard, with the server's own words. */
import type { ApiError } from '../api.js';
import { useTexts } from '../context.js';

export function Problem({ error, onRetry }: { error: ApiError; onRetry?(): void }) {
  const { errors } = useTexts();
  return (
    <div class="note bad" role="alert">
      <p>{error.code === 'unreachable' ? errors.unreachable : error.message}</p>
      {onRetry && (
        <p>
          <button type="button" class="button" onClick={onRetry}>
            {errors.again}
          </button>
        </p>
      )}
    </div>
  );
}
