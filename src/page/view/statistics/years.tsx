/** Patents by year as a plot of uPlot, and as a table. */
import { useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { yearAxis } from '../../model/year-axis.js';
import { useTexts } from '../context.js';
import { usePlot } from '../parts/plot.js';
import { goTo } from '../router.js';

interface Props {
  counts: Readonly<Record<string, number>>;
  linkOf(year: string): string;
}

const HEIGHT = 200;
/** Of the labels of counts, px. */
const COUNTS_WIDTH = 48;

export function Years({ counts, linkOf }: Props) {
  const { statistics, number } = useTexts();
  const years = Object.keys(counts).sort();
  const link = useRef(linkOf);
  link.current = linkOf;
  const draw = (element: HTMLElement) => plotOf(element, counts, (year) => goTo(link.current(year)));
  const place = usePlot(HEIGHT, years.length === 0 ? undefined : draw, JSON.stringify(counts));
  return (
    <>
      <div class="years" ref={place} role="img" aria-label={statistics.plot} />
      <details class="years-table">
        <summary>{statistics.table}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{statistics.year}</th>
              <th scope="col">{statistics.patents}</th>
            </tr>
          </thead>
          <tbody>
            {years.map((year) => (
              <tr key={year}>
                <th scope="row">
                  <a href={linkOf(year)} title={statistics.narrowTo(year)}>
                    {year}
                  </a>
                </th>
                <td>{number(counts[year] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** Draws one bar for each year from the first to the last. */
function plotOf(
  element: HTMLElement,
  counts: Readonly<Record<string, number>>,
  onYear: (year: string) => void,
): uPlot {
  const known = Object.keys(counts).map(Number);
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const years = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const labels = yearAxis(element.clientWidth - COUNTS_WIDTH, years.length);
  const style = getComputedStyle(element);
  const [text, line, fill] = [style.color, style.borderColor, style.outlineColor];
  const axis = {
    stroke: text,
    font: `12px ${style.fontFamily}`,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [first - 0.6, last + 0.6] },
        y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: labels.height,
          rotate: labels.rotate,
          space: labels.rotate === 0 ? 34 : 1,
          incrs: labels.steps,
          values: (_, values) => values.map((value) => (Number.isInteger(value) ? String(value) : '')),
        },
        { ...axis, size: COUNTS_WIDTH, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] },
      ],
      series: [
        {},
        {
          fill,
          stroke: fill,
          width: 0,
          paths: uPlot.paths.bars!({ size: [0.78, 60] }),
          points: { show: false },
        },
      ],
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    },
    [years, years.map((year) => counts[String(year)] ?? 0)],
    element,
  );
  const hint = document.createElement('div');
  hint.className = 'years-hint';
  hint.hidden = true;
  plot.over.append(hint);
  const yearAt = (event: MouseEvent): number | undefined => {
    const year = Math.round(plot.posToVal(event.offsetX, 'x'));
    return counts[String(year)] ? year : undefined;
  };
  plot.over.addEventListener('mousemove', (event) => {
    if (event.target !== plot.over) return;
    const year = yearAt(event);
    hint.hidden = year === undefined;
    plot.over.classList.toggle('on-bar', year !== undefined);
    if (year === undefined) return;
    hint.textContent = `${year}: ${counts[String(year)]}`;
    hint.style.left = `${plot.valToPos(year, 'x')}px`;
  });
  plot.over.addEventListener('mouseleave', () => {
    hint.hidden = true;
  });
  plot.over.addEventListener('click', (event) => {
    const year = yearAt(event);
    if (year !== undefined) onYear(String(year));
  });
  return plot;
}
