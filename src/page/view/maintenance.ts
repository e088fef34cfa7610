/** Whether the server is in maintenance, as its latest answers say. */
import { watched } from './watched.js';

export interface MaintenanceState {
  /** When it began; only operators are told. */
  since?: string;
  /** Retry-After that clients receive, s. */
  retryAfter: number;
}

export const maintenance = watched<MaintenanceState | undefined>(undefined);

/** Takes over what an operator was told. */
export function toldOperator(state: { since?: string; retry_after?: number } | undefined): void {
  const { since, retry_after: retryAfter } = state ?? {};
  if (since === undefined || retryAfter === undefined) maintenance.set(undefined);
  else maintenance.set({ since, retryAfter });
}

/** A call was refused because of maintenance. */
export function refusedInMaintenance(retryAfter: number): void {
  const known = maintenance.get();
  if (known?.retryAfter !== retryAfter) maintenance.set({ ...known, retryAfter });
}

/** A call that maintenance would refuse was answered. */
export function answeredNormally(): void {
  if (maintenance.get()) maintenance.set(undefined);
}
