/** Counts and durations of requests by endpoint. */
import type { Latency } from '../../../observe/figures.js';
import { useTexts } from '../context.js';
import { endpointName } from './endpoints.js';
import { FigureTitles } from './figure-titles.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

const DURATIONS = ['p50', 'p95', 'p99', 'max'] as const;

export function LatencyTable({ rows, label }: { rows: readonly Latency[]; label: string }) {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { health: words } = texts;
  const hasMaintenance = rows.some(({ maintenance }) => maintenance !== undefined);
  const titles = [
    ...[words.requests, words.refused4, words.failed],
    ...(hasMaintenance ? [words.inMaintenance] : []),
    ...['p50', 'p95', 'p99', words.slowest],
  ];
  return (
    <Scrolled label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.log.endpoint}</th>
            <FigureTitles titles={titles} />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ endpoint, requests, refused, failed, maintenance = 0, duration }) => (
            <tr key={endpoint}>
              <th scope="row" title={endpoint}>
                {endpointName(texts, endpoint)}
              </th>
              <td class="figure">{number(requests)}</td>
              <td class="figure">{number(refused)}</td>
              <td class={failed > 0 ? 'figure bad' : 'figure'}>{number(failed)}</td>
              {hasMaintenance && <td class="figure">{number(maintenance)}</td>}
              {DURATIONS.map((name) => (
                <td key={name} class="figure">
                  {duration ? duration[name].toFixed(1) : '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
