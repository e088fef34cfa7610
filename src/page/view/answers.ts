/** Answers of the server to what a component asks, with the latest kept, so that going back costs no search. */
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { ApiError, call, failureOf } from './api.js';
import { enterSession, hasEnded, sessionEnded } from './session.js';

const KEPT = 30;
const kept = new Map<string, unknown>();
const times = new WeakMap<object, string>();

export interface Asked<T> {
  /** The latest answer, also while a new one is awaited; undefined before the first. */
  answer: T | undefined;
  error: ApiError | undefined;
  isWaiting: boolean;
  retry(): void;
}

/**
 * Posts a body whenever it changes.
 * @param body undefined: nothing is asked
 */
export function useAnswer<T>(path: string, body: unknown): Asked<T> {
  const key = body === undefined ? undefined : keyOf(path, body);
  const [state, setState] = useState<{ key?: string; answer?: T; error?: ApiError }>({});
  const [attempt, setAttempt] = useState(0);
  const isEnded = hasEnded.use();
  // Before the paint: it would only delay the request.
  useLayoutEffect(() => {
    if (key === undefined) return;
    if (kept.has(key)) {
      const answer = kept.get(key) as T;
      // The list to which a visitor goes back again and again is the last to be dropped.
      kept.delete(key);
      kept.set(key, answer);
      setState({ key, answer });
      return;
    }
    const control = new AbortController();
    postInSession<T>(path, body, control.signal).then(
      (answer) => {
        keep(key, answer);
        setState({ key, answer });
      },
      (error: unknown) => {
        if (control.signal.aborted) return;
        setState({ key, error: failureOf(error) });
      },
    );
    return () => control.abort();
  }, [key, attempt, isEnded]);
  const retry = useCallback(() => {
    setState({});
    setAttempt((before) => before + 1);
  }, []);
  return {
    answer: key === undefined ? undefined : state.answer,
    error: state.key === key ? state.error : undefined,
    isWaiting: key !== undefined && state.key !== key,
    retry,
  };
}

/**
 * Posts a body. The session of a visitor that has ended while the page was open is opened again. That of an account needs its
 * password.
 * @throws the errors of `call`; `sessionEnded`
 */
export async function postInSession<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const options = signal ? { body, signal } : { body };
  if (hasEnded.get()) throw sessionEnded();
  try {
    return await call<T>('POST', path, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const { kind } = await enterSession();
    if (hasEnded.get()) throw sessionEnded();
    if (kind === 'none') throw error;
    return call<T>('POST', path, options);
  }
}

/** When an answer came, ISO 8601. */
export function answeredAt(answer: object): string {
  return times.get(answer) ?? '';
}

/** The answer to a request that was made before and is still kept. Nothing is asked. */
export function knownAnswer<T>(path: string, body: unknown): T | undefined {
  return kept.get(keyOf(path, body)) as T | undefined;
}

const keyOf = (path: string, body: unknown): string => `${path} ${JSON.stringify(body)}`;

function keep(key: string, answer: unknown): void {
  if (typeof answer === 'object' && answer !== null) times.set(answer, new Date().toISOString());
  kept.set(key, answer);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
}
