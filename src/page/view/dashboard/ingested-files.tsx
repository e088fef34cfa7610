/** The runs of the ingest, and the files of the ledger with what failed in them. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { get, queryOf, useData } from './data.js';
import { FigureTitles } from './figure-titles.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

interface Outcomes {
  ingested: number;
  updated: number;
  unchanged: number;
  skipped: number;
  failed: number;
}

export interface IngestedFile extends Outcomes {
  path: string;
  last_read: string;
  run?: string;
}

export interface IngestRun extends Outcomes {
  started: string;
  files: number;
  files_with_failures: number;
}

const OUTCOMES = ['failed', 'ingested', 'updated', 'unchanged', 'skipped'] as const;

const timeOf = (iso: string) => iso.replace('T', ' ').slice(0, 19);

function OutcomeTitles() {
  const { ingests: words } = useDashboardTexts();
  const titles = [words.failed, words.new, words.updated, words.unchanged, words.skipped];
  return <FigureTitles titles={titles} />;
}

/** A line for each run. */
export function IngestRuns({ runs }: { runs: readonly IngestRun[] }) {
  const { number } = useTexts();
  const { ingests: words } = useDashboardTexts();
  return (
    <Scrolled label={words.runs}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.started}</th>
            <th scope="col" class="figure">
              {words.fileCount}
            </th>
            <th scope="col" class="figure">
              {words.filesWithFailures}
            </th>
            <OutcomeTitles />
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.started}>
              <th scope="row">{timeOf(run.started)}</th>
              <td class="figure">{number(run.files)}</td>
              <td class="figure">{number(run.files_with_failures)}</td>
              {OUTCOMES.map((name) => (
                <td key={name} class={name === 'failed' && run.failed > 0 ? 'figure bad' : 'figure'}>
                  {number(run[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** A line for each file. The number of failures opens them. */
export function IngestedFiles({ files }: { files: readonly IngestedFile[] }) {
  const { number } = useTexts();
  const { ingests: words } = useDashboardTexts();
  const [open, setOpen] = useState<string>();
  const count = (file: IngestedFile, name: (typeof OUTCOMES)[number]) => {
    if (name !== 'failed' || file.failed === 0) return number(file[name]);
    const isOpen = open === file.path;
    return (
      <button
        type="button"
        class="button plain bad"
        aria-expanded={isOpen}
        onClick={() => setOpen(isOpen ? undefined : file.path)}
      >
        {number(file.failed)} <span class="unseen">{words.showFailures(file.path)}</span>
      </button>
    );
  };
  return (
    <Scrolled label={words.file}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.file}</th>
            <OutcomeTitles />
            <th scope="col">{words.read}</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <Fragment key={file.path}>
              <tr>
                <th scope="row" class="path">
                  {file.path}
                </th>
                {OUTCOMES.map((name) => (
                  <td key={name} class="figure">
                    {count(file, name)}
                  </td>
                ))}
                <td>{timeOf(file.last_read)}</td>
              </tr>
              {open === file.path && (
                <tr>
                  <td colSpan={7} class="failures">
                    <div class="in-view">
                      <Failures path={file.path} />
                    </div>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

interface FailuresAnswer {
  failed: number;
  failures: { position: string; patent_id?: string; reason: string }[];
}

function Failures({ path }: { path: string }) {
  const { number } = useTexts();
  const texts = useDashboardTexts();
  const { ingests: words } = texts;
  const { data, error, reload } = useData(
    () => get<FailuresAnswer>('operator', `/ingests/failures${queryOf({ path })}`),
    [path],
  );
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const hidden = data.failed - data.failures.length;
  if (data.failures.length === 0) return <p>{words.notKept}</p>;
  return (
    <ul class="missing">
      {data.failures.map(({ position, patent_id: id, reason }, at) => (
        <li key={at}>
          <code>{position}</code>
          {id !== undefined && ` (${id})`}: {reason}
        </li>
      ))}
      {hidden > 0 && <li>{words.moreFailures(number(hidden))}</li>}
    </ul>
  );
}
