/** The life of a plot of uPlot: it is as wide as its place, and follows the colours of the page. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';

/**
 * Draws a plot into the element of the returned reference.
 * @param height of the plot, px
 * @param draw makes the plot; undefined: there is nothing to draw
 * @param content what the plot shows. Another content draws another plot
 */
export function usePlot(
  height: number,
  draw: ((element: HTMLElement) => uPlot) | undefined,
  content: string,
): RefObject<HTMLDivElement> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element || !draw) return;
    let plot = draw(element);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    // The colours of a canvas do not follow the theme by themselves.
    const redraw = () => {
      plot.destroy();
      plot = draw(element);
    };
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    // The styles for paper do not count yet when a browser asks for the last changes.
    const print = () => {
      element.style.colorScheme = 'light';
      redraw();
    };
    const printed = () => {
      element.style.colorScheme = '';
      redraw();
    };
    addEventListener('beforeprint', print);
    addEventListener('afterprint', printed);
    return () => {
      removeEventListener('beforeprint', print);
      removeEventListener('afterprint', printed);
      scheme.removeEventListener('change', redraw);
      theme.disconnect();
      resized.disconnect();
      plot.destroy();
    };
  }, [content]);
  return place;
}
