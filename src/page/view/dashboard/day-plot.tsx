/** Calls by day as bars of uPlot: answered ones in front of all. */
import uPlot from 'uplot';
import { labelledDays } from '../../model/day-labels.js';
import { usePlot } from '../parts/plot.js';

interface Props {
  counts: readonly { day: string; requests: number; ok: number }[];
  label: string;
}

const HEIGHT = 220;

export function DayPlot({ counts, label }: Props) {
  const draw = (element: HTMLElement) => plotOf(element, counts);
  const place = usePlot(HEIGHT, draw, JSON.stringify(counts));
  return <div class="day-plot" ref={place} role="img" aria-label={label} />;
}

function plotOf(element: HTMLElement, counts: Props['counts']): uPlot {
  const style = getComputedStyle(element);
  const [text, line, fill, failed] = [
    style.color,
    style.borderColor,
    style.outlineColor,
    style.textDecorationColor,
  ];
  const axis = { stroke: text, font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const bars = uPlot.paths.bars!({ size: [0.78, 40] });
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [-0.6, counts.length - 0.4] },
        y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          // Counted from the last day, so that it has a label.
          splits: (_, __, ___, ____, step) => labelledDays(counts.length, step),
          incrs: [1, 2, 5, 10, 20],
          values: (_, values) => values.map((at) => counts[at]?.day.slice(5) ?? ''),
        },
        {
          ...axis,
          grid: { stroke: line, width: 1 },
          size: 56,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5],
        },
      ],
      series: [
        {},
        { stroke: failed, fill: failed, width: 0, paths: bars, points: { show: false } },
        { stroke: fill, fill, width: 0, paths: bars, points: { show: false } },
      ],
      cursor: { show: false },
    },
    [counts.map((_, at) => at), counts.map(({ requests }) => requests), counts.map(({ ok }) => ok)],
    element,
  );
}
