/** Returns a function that gives the milliseconds since its last call. */
export function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const elapsed = now - last;
    last = now;
    return Math.round(elapsed * 1000) / 1000;
  };
}
