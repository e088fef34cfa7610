/** Calls by day as bars of uPlot: answered ones in front of all. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

interface Props {
  counts: readonly { day: string; requests: number; ok: number }[];
  label: string;
}

const HEIGHT = 220;

export function DayPlot({ counts, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const content = JSON.stringify(counts);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let plot = plotOf(element, counts);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // The colours of a canvas do not follow the theme by themselves.
    const redraw = () => {
      plot.destroy();
      plot = plotOf(element, counts);
    };
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      theme.disconnect();
      resized.disconnect();
      plot.destroy();
    };
  }, [content]);
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
