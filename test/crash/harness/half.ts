/** Nearest half-precision number, ties to even. */
export function half(x: number): number {
  if (x === 0) return 0;
  const step = 2 ** Math.max(-24, Math.floor(Math.log2(Math.abs(x))) - 10);
  const steps = x / step;
  const down = Math.floor(steps);
  const up = steps - down > 0.5 || (steps - down === 0.5 && down % 2 !== 0);
  return (up ? down + 1 : down) * step;
}
