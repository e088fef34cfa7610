/** Renders a line chart as a self-contained SVG. Colours are those of the page, light or dark. */
import type { Axis, Plot } from './result.js';

const WIDTH = 640;
const HEIGHT = 300;
const MARGIN = { left: 62, right: 22, top: 14, bottom: 44 };

export function plotOf({ title, x, y, series }: Plot): string {
  const shown = series.filter(({ points }) => points.length > 0);
  const points = shown.flatMap((one) => one.points).filter((point) => point.every(Number.isFinite));
  if (points.length === 0) return '';
  const across = scaleOf(
    x,
    points.map(([at]) => at),
    MARGIN.left,
    WIDTH - MARGIN.right,
  );
  const up = scaleOf(
    y,
    points.map(([, at]) => at),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  const grid = [
    ...across.ticks.map(
      (tick) =>
        `<line class="grid" x1="${fixed(across.at(tick))}" x2="${fixed(across.at(tick))}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}"/><text x="${fixed(across.at(tick))}" y="${HEIGHT - MARGIN.bottom + 16}" text-anchor="middle">${numeral(tick)}</text>`,
    ),
    ...up.ticks.map(
      (tick) =>
        `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${fixed(up.at(tick))}" y2="${fixed(up.at(tick))}"/><text x="${MARGIN.left - 7}" y="${fixed(up.at(tick) + 4)}" text-anchor="end">${numeral(tick)}</text>`,
    ),
  ];
  const lines = shown.map(({ name, points: own }, n) => {
    const sorted = [...own].filter((point) => point.every(Number.isFinite)).sort((a, b) => a[0] - b[0]);
    const path = sorted.map(([a, b]) => `${fixed(across.at(a))},${fixed(up.at(b))}`);
    const dots = sorted.map(
      ([a, b], at) =>
        `<circle cx="${path[at]!.split(',')[0]}" cy="${path[at]!.split(',')[1]}" r="3.5"><title>${escaped(name)}: ${numeral(a)}, ${numeral(b)}</title></circle>`,
    );
    return `<g class="s${n % 6}"><polyline points="${path.join(' ')}"/>${dots.join('')}</g>`;
  });
  const legend = shown.map(({ name }, n) => `<span class="s${n % 6}"><i></i>${escaped(name)}</span>`);
  return `<figure><figcaption>${escaped(title)}<div class="legend">${legend.join('')}</div></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">${grid.join('')}${lines.reverse().join('')}
<text class="label" x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escaped(x.label)}</text>
<text class="label" transform="translate(13 ${(HEIGHT - MARGIN.bottom + MARGIN.top) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.label)}</text></svg></figure>`;
}

export const PLOT_STYLE = `
figure { margin: 1.25rem 0; max-width: 44rem; } figcaption { color: var(--ink); font-weight: 600; font-size: .9rem; }
.legend { font-weight: 400; color: var(--soft); margin: .25rem 0; } .legend span { margin-right: 1.1rem; white-space: nowrap; }
.legend i { display: inline-block; width: 1rem; height: .2rem; border-radius: .1rem; background: var(--series); vertical-align: middle; margin-right: .35rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); } polyline { fill: none; stroke: var(--series); stroke-width: 2; stroke-linejoin: round; } circle { fill: var(--series); }
.s0 { --series: var(--s0); } .s1 { --series: var(--s1); } .s2 { --series: var(--s2); } .s3 { --series: var(--s3); } .s4 { --series: var(--s4); } .s5 { --series: var(--s5); }
:root { --s0: #2563c9; --s1: #c2570c; --s2: #18794e; --s3: #9333a8; --s4: #8a6d00; --s5: #b3253e; }
@media (prefers-color-scheme: dark) { :root { --s0: #7eb0ff; --s1: #f0985a; --s2: #5cc892; --s3: #d48be6; --s4: #d6b94a; --s5: #f07f93; } }`;

interface Scale {
  at(value: number): number;
  ticks: number[];
}

function scaleOf({ log = false }: Axis, values: readonly number[], from: number, to: number): Scale {
  const positive = log ? values.filter((value) => value > 0) : values;
  let [low, high] = [Math.min(...positive), Math.max(...positive)];
  if (log) {
    const ticks = decades(low, high);
    [low, high] = [Math.min(low, ticks[0]!), Math.max(high, ticks.at(-1)!)];
    const span = Math.log(high / low) || 1;
    return { ticks, at: (value) => from + (Math.log(Math.max(value, low) / low) / span) * (to - from) };
  }
  // Values that differ by rounding alone count as equal: adding so small a step to one of them would not change it.
  const size = Math.max(Math.abs(low), Math.abs(high));
  const step = evenStep((high - low > size * 1e-9 ? high - low : size || 1) / 5);
  [low, high] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  if (high === low) high = low + step;
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, n) => low + n * step);
  return { ticks, at: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

/** Ticks of a logarithmic axis: powers of ten, with 2 and 5 times these if there are few. */
function decades(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  const found: number[] = [];
  for (let power = first; power <= last; power++) {
    found.push(10 ** power);
    if (last - first <= 2 && power < last) found.push(2 * 10 ** power, 5 * 10 ** power);
  }
  const from = found.findLastIndex((tick) => tick <= low * 1.000001);
  const to = found.findIndex((tick) => tick >= high * 0.999999);
  return found.slice(Math.max(0, from), to < 0 ? undefined : to + 1);
}

function evenStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

function numeral(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
}

function fixed(value: number): string {
  return value.toFixed(1);
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
