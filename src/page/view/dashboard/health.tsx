/** The figures of the running server. */
import { useEffect } from 'preact/hooks';
import type { Figures } from '../../../observe/figures.js';
import { failureOf } from '../api.js';
import { useTexts } from '../context.js';
import { toldOperator } from '../maintenance.js';
import { Progress } from '../parts/progress.js';
import { get, read, useData } from './data.js';
import { isAdministration } from './endpoints.js';
import { LatencyTable } from './latency-table.js';
import { MaintenanceSwitch } from './maintenance-switch.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

/** As in the schema of the endpoint. */
interface Health extends Figures {
  ready: boolean;
  missing: string[];
  maintenance?: { since: string; retry_after: number };
}

const EVERY_MS = 5_000;

/** @throws ApiError */
async function figuresOf(): Promise<Health> {
  const figures = await get<Health>('operator', '/health');
  toldOperator(figures.maintenance);
  return figures;
}

/**
 * Why the server is not ready, if it refuses even the administration; undefined if it is ready.
 * @throws ApiError
 */
async function missingOf(): Promise<string | undefined> {
  try {
    await read('readyz');
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code !== 'not_ready') throw failure;
    return failure.message;
  }
}

export function Health() {
  const texts = useDashboardTexts();
  const { data, error, reload, refresh } = useData(async () => {
    try {
      return { figures: await figuresOf() };
    } catch (failure) {
      const missing = failureOf(failure).status === 503 ? await missingOf() : undefined;
      if (missing === undefined) throw failure;
      return { missing };
    }
  }, []);
  useEffect(() => {
    const timer = setInterval(refresh, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const { figures } = data;
  return (
    <section>
      <Readiness missing={figures ? figures.missing : [data.missing!]} />
      {figures && <FiguresView data={figures} />}
      {figures && <MaintenanceSwitch onChange={reload} />}
    </section>
  );
}

function Readiness({ missing }: { missing: readonly string[] }) {
  const { health: words } = useDashboardTexts();
  const isReady = missing.length === 0;
  return (
    <div class={isReady ? 'note good' : 'note bad'} role="status">
      <p>
        <strong>{isReady ? words.ready : words.notReady}</strong>
      </p>
      {!isReady && (
        <ul class="missing">
          {missing.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function FiguresView({ data }: { data: Health }) {
  const { number } = useTexts();
  const { health: words } = useDashboardTexts();
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
  const searches = data.latency.filter(({ endpoint }) => !isAdministration(endpoint));
  const others = data.latency.filter(({ endpoint }) => isAdministration(endpoint));
  return (
    <>
      <dl class="facts figures">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>{words.latency}</h2>
      <p class="soft">{words.percentiles}</p>
      {searches.length > 0 && <LatencyTable rows={searches} label={words.latency} />}
      {others.length > 0 && (
        <details>
          <summary>{words.administration}</summary>
          <LatencyTable rows={others} label={words.administration} />
        </details>
      )}
    </>
  );
}
