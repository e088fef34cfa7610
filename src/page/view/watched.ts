/** A value outside of the components. Components that use it render again when it changes. */
import { useEffect, useState } from 'preact/hooks';

export interface Watched<T> {
  get(): T;
  set(value: T): void;
  /** The value, as a hook of a component. */
  use(): T;
}

export function watched<T>(first: T): Watched<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use() {
      const [seen, setSeen] = useState({ value });
      useEffect(() => {
        const listener = () => setSeen({ value });
        listeners.add(listener);
        // It may have changed before this effect.
        listener();
        return () => void listeners.delete(listener);
      }, []);
      return seen.value;
    },
  };
}
