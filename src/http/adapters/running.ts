/** Counts the requests without a complete answer, so that a server can wait for them before it closes. */
export class Running {
  #count = 0;
  #whenNone: (() => void) | undefined;

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) this.#whenNone?.();
  }

  /** Resolves when no request is running, or after `graceMs`. */
  async none(graceMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
