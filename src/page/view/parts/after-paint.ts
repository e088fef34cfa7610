/** What the first paint does not need, such as texts in other scripts, whose fonts take longest to find. */
import { useEffect, useState } from 'preact/hooks';

const painted = new Set<string>();

/**
 * False until a view has been painted once.
 * @param view its name
 */
export function useAfterPaint(view: 'page' | 'results'): boolean {
  const [isDone, setDone] = useState(() => painted.has(view));
  useEffect(() => {
    if (isDone) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A timer of a frame runs after this frame is painted.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        painted.add(view);
        setDone(true);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isDone;
}
