/** The figures of the running server. */
import { useEffect } from 'preact/hooks';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { get, useData } from './data.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

interface Figures {
  uptime_s: number;
  latency: { endpoint: string; requests: number; p50: number; p95: number; p99: number }[];
  pool?: { running: number; waiting: number; waitingMax: number; refused: number };
  index?: { documents: number; passages: number };
  recall?: number;
  memory: { resident: number };
}

const EVERY_MS = 5_000;

export function Health() {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { health: words } = texts;
  const { data, error, reload } = useData(() => get<Figures>('operator', '/health'), []);
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const { pool, index, memory, recall } = data;
  const facts: [string, string][] = [
    [words.uptime, words.hours((data.uptime_s / 3600).toFixed(1))],
    [words.memory, `${number(Math.round(memory.resident / 1e6))} MB`],
    [words.recall, recall === undefined ? words.noRecall : recall.toFixed(3)],
  ];
  if (pool) {
    facts.push([words.running, number(pool.running)]);
    facts.push([words.queue, `${number(pool.waiting)} / ${number(pool.waitingMax)}`]);
    facts.push([words.refused, number(pool.refused)]);
  }
  if (index) {
    facts.push([words.documents, number(index.documents)]);
    facts.push([words.passages, number(index.passages)]);
  }
  return (
    <section>
      <dl class="facts figures">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>{words.latency}</h2>
      <Scrolled label={words.latency}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.log.endpoint}</th>
              <th scope="col" class="figure">
                {words.requests}
              </th>
              <th scope="col" class="figure">
                p50
              </th>
              <th scope="col" class="figure">
                p95
              </th>
              <th scope="col" class="figure">
                p99
              </th>
            </tr>
          </thead>
          <tbody>
            {data.latency.map(({ endpoint, requests, p50, p95, p99 }) => (
              <tr key={endpoint}>
                <th scope="row">{endpoint}</th>
                <td class="figure">{number(requests)}</td>
                <td class="figure">{p50.toFixed(1)}</td>
                <td class="figure">{p95.toFixed(1)}</td>
                <td class="figure">{p99.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  );
}
