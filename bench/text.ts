/** Renders a result as text for a terminal, and as Markdown for bench/results. */
import type { Result, Section } from './result.js';
import { percent, shownInterval, shownValue, signed, tableOf } from './table.js';

/** Minimum change of a share or score that is shown. */
const WORTH_SHOWING = 0.0005;
/** Minimum relative change of a figure with a unit that is shown. */
const RELATIVE_WORTH_SHOWING = 0.1;

export function resultText(result: Result, baseline?: Result): string {
  const parts = [headOf(result).join('\n')];
  for (const section of result.sections) {
    const lines = [`${section.title}  (${section.cpuSeconds.toFixed(0)} s of processor time)`];
    if (section.skipped) lines.push(`  not measured: ${section.skipped}`);
    const { columns, rows } = tableOf(section, baseline, result.machine);
    if (rows.length > 0) lines.push(`  ${''.padEnd(44)}${columns.map((name) => name.padStart(20)).join('')}`);
    for (const { measure, metric, n, cells } of rows) {
      const shown = cells.map((cell) => {
        if (!cell) return ''.padStart(20);
        const change = Math.abs(cell.change ?? 0) >= WORTH_SHOWING ? ` (${signed(cell.change!)})` : '';
        const relative =
          Math.abs(cell.relative ?? 0) >= RELATIVE_WORTH_SHOWING ? ` (${percent(cell.relative!)})` : '';
        const interval = cell.figure.interval ? ` (${shownInterval(cell.figure)})` : '';
        return (shownValue(cell.figure) + interval + change + relative).padStart(20);
      });
      lines.push(`  ${`${measure}, ${metric} (${n})`.padEnd(44)}${shown.join('')}`);
    }
    parts.push(lines.join('\n'));
  }
  parts.push(verdictOf(result));
  if (baseline)
    parts.push(`In brackets: change against ${baseline.commit}, ${baseline.startedAt.slice(0, 10)}.`);
  return parts.join('\n\n');
}

/**
 * Lists the rows in which the reranker is significantly worse than similarity alone. The reranker is on by default only
 * if there are none. Empty for benchmarks other than quality.
 */
export function verdictOf({ sections }: Result): string {
  const differences = sections.flatMap(({ figures }) =>
    figures.filter(({ variant }) => variant === 'difference'),
  );
  if (differences.length === 0) {
    const other = sections.some(
      ({ plots, figures }) => plots || figures.some(({ unit }) => unit !== undefined),
    );
    return other ? '' : 'No reranker was measured.';
  }
  const named = (list: typeof differences) =>
    list
      .map(({ measure, metric, model, value }) => `${measure}, ${metric} (${model}) ${signed(value)}`)
      .join('; ');
  const worse = differences.filter(({ high }) => high! < 0);
  const better = differences.filter(({ low }) => low! > 0);
  return (
    `The reranker is better than similarity alone beyond chance in ${better.length} of ${differences.length} rows, ` +
    (worse.length === 0 ? 'worse in none.' : `worse in ${worse.length}: ${named(worse)}.`)
  );
}

/** Machine, time and command of a run. */
export function headOf({
  machine,
  load,
  command,
  startedAt,
  commit,
  models,
  short,
  version,
}: Omit<Result, 'benchmark' | 'sections'>): string[] {
  return [
    `priorart ${version} (${commit}), ${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    ...Object.entries(models).map(([label, name]) => `model ${label}: ${name}`),
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}`,
    `load ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after; ${command}`,
    ...(short ? ['A short run on parts of the sets, not for comparison.'] : []),
  ];
}

/** Renders the page of bench/results. */
export function resultMarkdown(result: Result): string {
  const parts = [
    headOf(result)
      .map((line) => `- ${line}`)
      .join('\n'),
    verdictOf(result),
    ...result.sections.map(sectionMarkdown),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function sectionMarkdown(section: Section): string {
  const { title, about, run } = section;
  const lines = [`## ${title}`, '', about];
  if (run) {
    lines.push('', `Of another run: ${headOf({ ...run, models: {}, short: false }).join('; ')}.`);
  }
  if (section.skipped) return [...lines, '', `Not measured: ${section.skipped}`].join('\n');
  const figures = section.figures.filter(({ detail }) => !detail);
  const { columns, rows } = tableOf({ ...section, figures });
  lines.push(
    '',
    `| measure | n | ${columns.join(' | ')} |`,
    `|---|--:|${columns.map(() => '--:|').join('')}`,
  );
  for (const { measure, metric, n, cells } of rows) {
    const shown = cells.map((cell) => {
      if (!cell) return '';
      const shows = cell.figure.variant === 'difference' || cell.figure.interval;
      const interval = shows ? shownInterval(cell.figure) : '';
      return shownValue(cell.figure) + (interval && ` (${interval})`);
    });
    lines.push(`| ${measure}, ${metric} | ${n} | ${shown.join(' | ')} |`);
  }
  return lines.join('\n');
}
