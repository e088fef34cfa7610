/** What the index holds, and which files it was read from. */
import { useEffect } from 'preact/hooks';
import { call } from '../api.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { get, useData } from './data.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

interface IngestedFile {
  path: string;
  last_read: string;
  ingested: number;
  updated: number;
  unchanged: number;
  skipped: number;
  failed: number;
}

const EVERY_MS = 5_000;

export function Ingests() {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { ingests: words } = texts;
  const { data, error, reload } = useData(async () => {
    const [ledger, coverage] = await Promise.all([
      get<{ files: number; latest: IngestedFile[] }>('operator', '/ingests'),
      call<{ by_country: Record<string, { total: number }> }>('GET', 'api/v1/stats/coverage'),
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
  const outcomes = [
    ['ingested', words.new],
    ['updated', words.updated],
    ['unchanged', words.unchanged],
    ['skipped', words.skipped],
    ['failed', words.failed],
  ] as const;
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
          {Object.entries(coverage.by_country ?? {}).map(([country, { total }]) => (
            <tr key={country}>
              <th scope="row">{country}</th>
              <td class="figure">{number(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>{texts.tabs.ingests}</h2>
      <p role="status">{ledger.files === 0 ? words.none : words.files(number(ledger.files))}</p>
      {ledger.files > 0 && (
        <Scrolled label={texts.tabs.ingests}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.file}</th>
                <th scope="col">{words.read}</th>
                {outcomes.map(([name, title]) => (
                  <th key={name} scope="col" class="figure">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ledger.latest.map((file) => (
                <tr key={file.path}>
                  <th scope="row" title={file.path}>
                    {file.path.split('/').slice(-2).join('/')}
                  </th>
                  <td>{file.last_read.replace('T', ' ').slice(0, 19)}</td>
                  {outcomes.map(([name]) => (
                    <td key={name} class={name === 'failed' && file.failed > 0 ? 'figure bad' : 'figure'}>
                      {number(file[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
    </section>
  );
}
