/** What the index holds, and which files it was read from. */
import { useEffect, useState } from 'preact/hooks';
import { failureOf } from '../api.js';
import { useTexts } from '../context.js';
import { Answered } from '../parts/answered.js';
import { Progress } from '../parts/progress.js';
import { get, queryOf, read, useData } from './data.js';
import { FigureTitles } from './figure-titles.js';
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

interface Ledger {
  running: RunningIngest[];
  files: number;
  runs: IngestRun[];
  /** Files that the list goes on with, before and after `latest`, too. */
  listed: number;
  latest: IngestedFile[];
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
  const [onlyFailures, setOnlyFailures] = useState(false);
  const [offset, setOffset] = useState(0);
  const { data, error, reload, refresh } = useData(async () => {
    const [ledger, coverage] = await Promise.all([
      get<Ledger>(
        'operator',
        `/ingests${queryOf({
          with_failures: onlyFailures ? 'true' : undefined,
          offset: offset === 0 ? undefined : String(offset),
        })}`,
      ),
      read<Coverage>('api/v1/stats/coverage').catch((error: unknown) => {
        // Maintenance refuses it, and not the ledger. The header says so.
        if (failureOf(error).code === 'maintenance') return undefined;
        throw error;
      }),
    ]);
    // The choice that this answer belongs to. The current choice may be another.
    return { ledger, coverage, shownFrom: offset, ofFailures: onlyFailures };
  }, [onlyFailures, offset]);
  const isRunning = (data?.ledger.running.length ?? 0) > 0;
  useEffect(() => {
    const timer = setInterval(refresh, isRunning ? OFTEN_MS : EVERY_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Progress text={texts.loading} />;
  const { ledger, coverage, shownFrom, ofFailures } = data;
  const isWaiting = ofFailures !== onlyFailures || shownFrom !== offset;
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
      {ledger.files > 0 && (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={onlyFailures}
              onChange={(event) => {
                setOffset(0);
                setOnlyFailures(event.currentTarget.checked);
              }}
            />
            <span>{words.onlyFailures}</span>
          </label>
          <Answered isWaiting={isWaiting} text={texts.loading}>
            <FilesRange ledger={ledger} offset={shownFrom} onOffset={setOffset} />
            {ledger.latest.length > 0 && <IngestedFiles files={ledger.latest} />}
          </Answered>
        </>
      )}
    </section>
  );
}

/** Files of a page of the list, as the server gives them (LATEST_FILES). */
const FILES_PAGE = 200;

interface RangeProps {
  ledger: Ledger;
  offset: number;
  onOffset(offset: number): void;
}

/** Which part of the list is shown, and the way to the others. */
function FilesRange({ ledger, offset, onOffset }: RangeProps) {
  const { number } = useTexts();
  const { ingests: words } = useDashboardTexts();
  const { listed, latest } = ledger;
  const last = offset + latest.length;
  if (listed === 0) return <p>{words.noFailures}</p>;
  return (
    <p class="files-range">
      <span role="status">
        {words.range(number(Math.min(offset + 1, last)), number(last), number(listed))}
      </span>
      {offset > 0 && (
        <button type="button" class="button" onClick={() => onOffset(Math.max(0, offset - FILES_PAGE))}>
          {words.newer}
        </button>
      )}
      {last < listed && (
        <button type="button" class="button" onClick={() => onOffset(last)}>
          {words.older}
        </button>
      )}
    </p>
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
            <FigureTitles titles={[words.publications, words.rate, words.bytes, words.left, words.failed]} />
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
