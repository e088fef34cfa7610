/** The line below the header during maintenance. */
import { useSessionHandle, useTexts } from '../context.js';
import { maintenance } from '../maintenance.js';
import { operator } from '../operator.js';

export function MaintenanceNote() {
  const { frame, errors } = useTexts();
  const { refresh } = useSessionHandle();
  const state = maintenance.use();
  const isOperator = operator.use();
  return (
    <div class="frame-maintenance" role="status">
      {state && (
        <p class="note warn">
          <strong>{frame.maintenance(timeOf(state.since), state.retryAfter)}</strong>{' '}
          {isOperator ? (
            <a href="#/dashboard/health">{frame.toMaintenance}</a>
          ) : (
            <button type="button" class="button plain" onClick={refresh}>
              {errors.again}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** `2026-02-20 09:30 UTC` */
function timeOf(since: string | undefined): string | undefined {
  return since && `${since.replace('T', ' ').slice(0, 16)} UTC`;
}
