/** Notifies the work of a request that its client has disconnected. */
import { PriorartError } from '../../errors.js';

export class Disconnect {
  #gone = false;
  #listener: (() => void) | undefined;

  get isGone(): boolean {
    return this.#gone;
  }

  onGone(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }

  announce(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#listener?.();
  }
}

export function clientGone(): PriorartError {
  return new PriorartError('cancelled', 'the client closed the connection');
}
