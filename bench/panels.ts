/** Renders small charts as one self-contained SVG, both a separate file and a part of the page. */
import { escaped } from './plot.js';
import type { Panels } from './result.js';

const COLUMNS = 4;
const PANEL = { width: 190, height: 84, left: 8, right: 8, top: 22, bottom: 22 };
/** Height of title, description of the curves and legend. */
const HEAD = 68;
/** Height of the label of the x axis. */
const FOOT = 22;
const MARGIN = 12;
const TICKS = [0, 0.5, 1];

interface Colours {
  ink: string;
  soft: string;
  line: string;
  paper: string;
  /** Colours of the curves, in the order of their names. */
  curves: readonly string[];
}

const LIGHT: Colours = {
  ink: '#1c1e21',
  soft: '#6b7078',
  line: '#e3e5e8',
  paper: '#fff',
  curves: ['#8a919b', '#2563c9', '#18794e'],
};
const DARK: Colours = {
  ink: '#e6e8eb',
  soft: '#9aa1ab',
  line: '#33383f',
  paper: '#16181b',
  curves: ['#8a919b', '#7eb0ff', '#5cc892'],
};

/**
 * CSS of the SVG. Selectors begin with the class, because an SVG's rules apply to the whole page. It uses no variables,
 * because few programs support them.
 */
const STYLE = `
svg.panels text { font: 11px system-ui, sans-serif; }
svg.panels text.title { font-size: 14px; font-weight: 600; }
svg.panels text.name { font-weight: 600; }
svg.panels path, svg.panels rect.key { fill-opacity: .3; stroke-width: 1.5; }
svg.panels .mark { stroke-dasharray: 2 3; }
${coloured(LIGHT)}
@media (prefers-color-scheme: dark) {
${coloured(DARK)}
}
`;

function coloured({ ink, soft, line, paper, curves }: Colours): string {
  return [
    `svg.panels text { fill: ${soft}; }`,
    `svg.panels text.title, svg.panels text.name { fill: ${ink}; }`,
    `svg.panels .paper { fill: ${paper}; }`,
    `svg.panels .base { stroke: ${line}; }`,
    `svg.panels .mark { stroke: ${soft}; }`,
    ...curves.map((colour, n) => `svg.panels .k${n} { fill: ${colour}; stroke: ${colour}; }`),
  ].join('\n');
}

export function panelsOf({ title, about, x, mark, panels }: Panels): string {
  const columns = Math.max(1, Math.min(COLUMNS, panels.length));
  const width = 2 * MARGIN + COLUMNS * PANEL.width;
  const below = HEAD + Math.ceil(panels.length / columns) * (PANEL.top + PANEL.height + PANEL.bottom);
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const legend = names.map((name, n) => {
    const at = MARGIN + n * 110;
    return `<rect class="key k${n}" x="${at}" y="49" width="14" height="9"/><text x="${at + 20}" y="58">${escaped(name)}</text>`;
  });
  const drawn = panels.map((panel, n) => {
    const [column, row] = [n % columns, Math.floor(n / columns)];
    const left = MARGIN + column * PANEL.width;
    const top = HEAD + row * (PANEL.top + PANEL.height + PANEL.bottom);
    return `<g transform="translate(${left} ${top})">${panelOf(panel, names, mark)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" class="panels" viewBox="0 0 ${width} ${below + FOOT}" role="img" aria-label="${escaped(title)}"><style>${STYLE}</style>
<rect class="paper" width="100%" height="100%"/>
<text class="title" x="${MARGIN}" y="22">${escaped(title)}</text><text x="${MARGIN}" y="40">${escaped(about)}</text>
${legend.join('')}
${drawn.join('\n')}
<text x="${width / 2}" y="${below + 8}" text-anchor="middle">${escaped(x.label)}</text></svg>
`;
}

function panelOf(
  { title, series }: Panels['panels'][number],
  names: readonly string[],
  mark: number,
): string {
  const [left, right] = [PANEL.left, PANEL.width - PANEL.right];
  const floor = PANEL.top + PANEL.height;
  const across = (value: number) => (left + value * (right - left)).toFixed(1);
  const up = (value: number) => (floor - value * PANEL.height).toFixed(1);
  const areas = series.map(({ name, heights }) => {
    const step = 1 / (heights.length - 1);
    const path = heights.map((height, n) => `L${across(n * step)} ${up(height)}`).join('');
    return `<path class="k${names.indexOf(name)}" d="M${across(0)} ${floor}${path}L${across(1)} ${floor}"/>`;
  });
  const sizes = series.map(({ name, n }) => `${n} ${name}`).join(', ');
  const ticks = TICKS.map(
    (tick) => `<text x="${across(tick)}" y="${floor + 13}" text-anchor="middle">${tick}</text>`,
  );
  return (
    `<title>${escaped(`${title}: ${sizes}`)}</title><text class="name" x="${left}" y="14">${escaped(title)}</text>` +
    `<text x="${right}" y="14" text-anchor="end">${series.map(({ n }) => n).join(' / ')}</text>` +
    `<line class="base" x1="${left}" x2="${right}" y1="${floor}" y2="${floor}"/>${areas.join('')}` +
    `<line class="mark" x1="${across(mark)}" x2="${across(mark)}" y1="${PANEL.top}" y2="${floor}"/>${ticks.join('')}`
  );
}
