/** What the index holds, and which files it was read from. */
import { useEffect } from 'preact/hooks';
import { call } from '../api.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { failureOf, get, useData } from './data.js';
import { type IngestedFile, IngestedFiles, type IngestRun, IngestRuns } from './ingested-files.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

interface Coverage {
  by_country: Record<string, { total: number }>;
}

const EVERY_MS = 5_000;

export function Ingests() {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { ingests: words } = texts;
  const { data, error, reload } = useData(async () => {
    const [ledger, coverage] = await Promise.all([
      get<{ files: number; runs: IngestRun[]; latest: IngestedFile[] }>('operator', '/ingests'),
      call<Coverage>('GET', 'api/v1/stats/coverage').catch((error: unknown) => {
        // Maintenance refuses it, and not the ledger. The header says so.
        if (failureOf(error).code === 'maintenance') return undefined;
        throw error;
      }),
    ]);
    return { ledger, coverage };
  }, []);
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
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
      <h2>{texts.tabs.ingests}</h2>
      <p role="status">{ledger.files === 0 ? words.none : words.files(number(ledger.files))}</p>
      {ledger.runs.length > 0 && <IngestRuns runs={ledger.runs} />}
      {ledger.files > 0 && <h2>{words.latest}</h2>}
      {ledger.files > 0 && <IngestedFiles files={ledger.latest} />}
    </section>
  );
}
