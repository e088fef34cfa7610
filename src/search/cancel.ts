/** How long a search may go on. */
export interface Cancellation {
  /** Throws if the search is cancelled. Called between the stages of a search. */
  check(): void;
  /** Fires when the search is cancelled: for slow work within a stage. Made when it is first read. */
  readonly signal: AbortSignal | undefined;
  /** When the answer is due, ms since 1970. Optional work is left out to keep it. */
  readonly deadline: number | undefined;
}

/** Of a search that cannot be cancelled. */
export const uncancelled: Cancellation = { check: () => {}, signal: undefined, deadline: undefined };
