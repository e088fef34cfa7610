/** What the index holds, and which files it was read from. */
import { useEffect } from 'preact/hooks';
import { call } from '../api.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { failureOf, get, useData } from './data.js';
import { type IngestedFile, IngestedFiles, type IngestRun, IngestRuns } from './ingested-files.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

interface RunningIngest {
  started: string;
  at: string;
  bytes_read: number;
  /** 0 if it is unknown. */
  total_bytes: number;
  documents: number;
  failed: number;
}

interface Coverage {
  by_country: Record<string, { total: number }>;
}

const EVERY_MS = 5_000;
/** While an ingest runs. */
const OFTEN_MS = 1_000;

export function Ingests() {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { ingests: words } = texts;
  const { data, error, reload } = useData(async () => {
    const [ledger, coverage] = await Promise.all([
      get<{ running: RunningIngest[]; files: number; runs: IngestRun[]; latest: IngestedFile[] }>(
        'operator',
        '/ingests',
      ),
      call<Coverage>('GET', 'api/v1/stats/coverage').catch((error: unknown) => {
        // Maintenance refuses it, and not the ledger. The header says so.
        if (failureOf(error).code === 'maintenance') return undefined;
        throw error;
      }),
    ]);
    return { ledger, coverage };
  }, []);
  const isRunning = (data?.ledger.running.length ?? 0) > 0;
  useEffect(() => {
    const timer = setInterval(reload, isRunning ? OFTEN_MS : EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const { ledger, coverage } = data;
  return (
    <section>
      <h2>{words.coverage}</h2>
      <table class="narrow">
        <thead>
          <tr>
            <th scope="col">{words.country}</th>
            <th scope="col" class="figure">
              {words.publications}
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(coverage?.by_country ?? {}).map(([country, { total }]) => (
            <tr key={country}>
              <th scope="row">{country}</th>
              <td class="figure">{number(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>{words.running}</h2>
      {isRunning ? <Running ingests={ledger.running} /> : <p class="soft">{words.noneRunning}</p>}
      <h2>{texts.tabs.ingests}</h2>
      <p role="status">{ledger.files === 0 ? words.none : words.files(number(ledger.files))}</p>
      {ledger.runs.length > 0 && <IngestRuns runs={ledger.runs} />}
      {ledger.files > 0 && <h2>{words.latest}</h2>}
      {ledger.files > 0 && <IngestedFiles files={ledger.latest} />}
    </section>
  );
}

function Running({ ingests }: { ingests: readonly RunningIngest[] }) {
  const { number } = useTexts();
  const { ingests: words } = useDashboardTexts();
  const megabytes = (bytes: number) => `${number(Math.round(bytes / 100_000) / 10)} MB`;
  return (
    <Scrolled label={words.running}>
      <table>
        <thead>
          <tr>
            {[words.publications, words.rate, words.bytes, words.left, words.failed].map((title) => (
              <th key={title} scope="col" class="figure">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ingests.map(({ started, at, bytes_read, total_bytes, documents, failed }) => {
            const seconds = Math.max(1, (Date.parse(at) - Date.parse(started)) / 1_000);
            const isKnown = total_bytes > 0 && bytes_read > 0;
            return (
              <tr key={started}>
                <td class="figure">{number(documents)}</td>
                <td class="figure">{number(Math.round(documents / seconds))}</td>
                <td class="figure">
                  {megabytes(bytes_read)}
                  {total_bytes > 0 && ` / ${megabytes(total_bytes)} `}
                  {total_bytes > 0 && (
                    <progress max={total_bytes} value={bytes_read} aria-label={words.bytes} />
                  )}
                </td>
                <td class="figure">
                  {isKnown ? clock(((total_bytes - bytes_read) * seconds) / bytes_read) : words.leftUnknown}
                </td>
                <td class={failed > 0 ? 'figure bad' : 'figure'}>{number(failed)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** `1:05:09` */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
}
