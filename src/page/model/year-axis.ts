/** Labels of years under a plot. */

export interface YearAxis {
  /** Years from label to label; the smallest that fits is taken. */
  steps: number[];
  /** Degrees by which labels are turned. */
  rotate: number;
  /** px below the plot. */
  height: number;
}

/** px of an upright label of four digits, and of a turned one. */
const [WIDE, TALL] = [34, 15];

/**
 * @param width of the plot, px
 * @param years from the first to the last
 */
export function yearAxis(width: number, years: number): YearAxis {
  const each = width / years;
  const steps = [1, 2, 5, 10, 20, 50];
  if (each >= WIDE || each < TALL) return { steps, rotate: 0, height: 32 };
  // On a phone, every year has its label, which is turned.
  return { steps: [1], rotate: -90, height: 46 };
}
