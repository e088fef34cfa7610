/** Renders a result as a self-contained HTML page: tables with a bar behind each figure. */
import { panelsOf } from './panels.js';
import { escaped, PLOT_STYLE, plotOf } from './plot.js';
import type { Machine, Panels, Result, Section } from './result.js';
import { type Cell, percent, shownInterval, shownValue, signed, tableOf } from './table.js';
import { headOf, verdictOf } from './text.js';

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #6b7078; --line: #e3e5e8; --bar: #cfe0f7; --up: #1a7f4b; --down: #b3372f; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa1ab; --line: #33383f; --bar: #24405f; --up: #58c08a; --down: #e58079; --paper: #16181b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .25rem; }
p, li { color: var(--soft); max-width: 60rem; margin: .25rem 0; } ul { padding-left: 1.1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .75rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); } th:first-child, td:first-child { text-align: left; padding-left: 0; }
td small { color: var(--soft); display: block; font-size: .75rem; }
td.figure { background: linear-gradient(to right, var(--bar) var(--share), transparent var(--share)) no-repeat 0 100% / 100% 3px; }
.up { color: var(--up); } .down { color: var(--down); }${PLOT_STYLE}
figure.panels { max-width: none; }`;

export function pageOf(result: Result, baseline?: Result): string {
  const title = `priorart: ${result.benchmark}`;
  const against = baseline
    ? `<li>changes against ${escaped(baseline.commit)}, ${baseline.startedAt.slice(0, 10)}</li>`
    : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style></head><body>
<h1>${title}</h1>
<ul>${headOf(result)
    .map((line) => `<li>${escaped(line)}</li>`)
    .join('')}${against}</ul>
<p>${escaped(verdictOf(result))}</p>
${result.sections.map((section) => sectionOf(section, result.machine, baseline)).join('\n')}
</body></html>
`;
}

/** Renders a page with links to the pages of all benchmarks. */
export function indexOf(benchmarks: readonly { name: string; summary: string }[]): string {
  const items = benchmarks.map(
    ({ name, summary }) => `<li><a href="${name}.html">${escaped(name)}</a>: ${escaped(summary)}</li>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>priorart: benchmarks</title><style>${STYLE} a { color: var(--ink); }</style></head><body>
<h1>priorart: benchmarks</h1>
<ul>${items.join('')}</ul>
</body></html>
`;
}

function sectionOf(section: Section, on: Machine, baseline?: Result): string {
  const head = `<h2>${escaped(section.title)}</h2><p>${escaped(section.about)}</p>`;
  if (section.skipped) return `${head}<p>Not measured: ${escaped(section.skipped)}</p>`;
  const { columns, rows } = tableOf(section, baseline, on);
  const body = rows.map(
    ({ measure, metric, n, cells }) =>
      `<tr><td>${escaped(measure)}<small>${escaped(metric)}</small></td><td>${n}</td>${cells.map(cellOf).join('')}</tr>`,
  );
  const plots = [...(section.plots ?? []).map(plotOf), ...(section.panels ?? []).map(figureOf)].join('\n');
  return `${head}${plots}<div class="wide"><table>
<tr><th>measure</th><th>n</th>${columns.map((name) => `<th>${escaped(name)}</th>`).join('')}</tr>
${body.join('\n')}
</table></div>`;
}

/** Renders panels, whose SVG contains title and legend because it is also a separate file. */
function figureOf(panels: Panels): string {
  return `<figure class="panels">${panelsOf(panels)}</figure>`;
}

function cellOf(cell: Cell | undefined): string {
  if (!cell) return '<td></td>';
  const { figure, change } = cell;
  const interval = shownInterval(figure);
  const moved =
    change === undefined || Math.abs(change) < 0.0005
      ? ''
      : ` <span class="${change > 0 ? 'up' : 'down'}">${signed(change)}</span>`;
  const small = interval ? `<small>${interval}</small>` : '';
  const clear = figure.variant === 'difference' && figure.low !== undefined && figure.low * figure.high! > 0;
  if (figure.variant === 'difference') {
    return `<td${clear ? ` class="${figure.value > 0 ? 'up' : 'down'}"` : ''}>${shownValue(figure)}${moved}${small}</td>`;
  }
  if (figure.unit !== undefined) {
    const relative = cell.relative === undefined ? '' : `<small>${percent(cell.relative)}</small>`;
    return `<td>${shownValue(figure)}${relative}</td>`;
  }
  const share = Math.min(1, Math.max(0, figure.value)) * 100;
  return `<td class="figure" style="--share:${share.toFixed(1)}%">${shownValue(figure)}${moved}${small}</td>`;
}
