/** Converts a section to a table with a row for each measure and metric, and a column for each variant and model. */
import { type Figure, keyOf, type Machine, type Result, type Section, sameMachine } from './result.js';

export interface Cell {
  figure: Figure;
  /** Difference from the same figure of the baseline. */
  change?: number;
  /** Relative change of a figure that depends on the machine, if both were measured on the same kind of machine. */
  relative?: number;
}

export interface Table {
  columns: string[];
  rows: { measure: string; metric: string; n: number; cells: (Cell | undefined)[] }[];
}

/** @param on the machine that the section was measured on. Without it, times are not compared. */
export function tableOf(section: Section, baseline?: Result, on?: Machine): Table {
  const comparable = baseline !== undefined && on !== undefined && sameMachine(baseline.machine, on);
  const before = new Map(
    (baseline?.sections ?? []).flatMap(({ id, figures }) =>
      figures.map((figure) => [keyOf(id, figure), figure.value] as const),
    ),
  );
  const several = new Set(section.figures.map(({ model }) => model).filter(Boolean)).size > 1;
  const columnOf = ({ variant, model }: Figure) => (several && model ? `${model}: ${variant}` : variant);
  // Figures without a model come last.
  const figures = [...section.figures].sort((a, b) => Number(!a.model) - Number(!b.model));
  const columns = [...new Set(figures.map(columnOf))];
  const rows = new Map<string, Table['rows'][number]>();
  for (const figure of section.figures) {
    const { measure, metric, n } = figure;
    const key = `${measure}\t${metric}`;
    const row = rows.get(key) ?? { measure, metric, n, cells: columns.map(() => undefined) };
    const was = before.get(keyOf(section.id, figure));
    row.cells[columns.indexOf(columnOf(figure))] = {
      figure,
      ...(was === undefined || figure.unit !== undefined ? {} : { change: figure.value - was }),
      // Compares figures with a unit on similar machines only. The load shows other use of the machine.
      ...(was === undefined || figure.unit === undefined || !comparable || was === 0
        ? {}
        : { relative: figure.value / was - 1 }),
    };
    rows.set(key, row);
  }
  return { columns, rows: [...rows.values()] };
}

/** Formats a value: `.857`, or three digits with the unit. Differences have a sign. */
export function shownValue({ value, variant, unit }: Figure): string {
  if (Number.isNaN(value)) return '–';
  if (unit !== undefined) return `${threeDigits(value)} ${unit}`;
  return variant === 'difference' ? signed(value) : value.toFixed(3);
}

function threeDigits(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

export function shownInterval({ low, high, variant, unit }: Figure): string {
  if (low === undefined || high === undefined || Number.isNaN(low)) return '';
  if (unit !== undefined) return `${threeDigits(low)} to ${threeDigits(high)}`;
  return variant === 'difference'
    ? `${signed(low)} to ${signed(high)}`
    : `${low.toFixed(3)} to ${high.toFixed(3)}`;
}

/** Formats a change such as `+12 %`. */
export function percent(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(0)} %`;
}

export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
