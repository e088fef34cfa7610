/** How long a search may go on. */
export interface Cancellation {
  /** Asked between the stages of a search; throws once nobody waits for the answer any more. */
  check(): void;
  /** The same for what takes long within a stage; made when it is first asked for. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds since 1970 by which the answer is wanted; what can be left out is left out to keep it. */
  readonly deadline: number | undefined;
}

/** A search that nobody can cancel. */
export const uncancelled: Cancellation = { check: () => {}, signal: undefined, deadline: undefined };
