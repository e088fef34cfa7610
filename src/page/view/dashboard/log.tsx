/** The log of requests. Only the rows in view are in the document, so 10,000 rows scroll. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { DashboardTexts } from '../../languages/dashboard/en.js';
import { linkTo } from '../../model/address.js';
import { distinctNames } from '../../model/distinct-names.js';
import { isolated } from '../../model/isolated.js';
import { type ApiError, failureOf } from '../api.js';
import { useTexts } from '../context.js';
import { Progress } from '../parts/progress.js';
import { goTo } from '../router.js';
import {
  type Account,
  accountsOf,
  chosenAccount,
  get,
  type Key,
  keysOf,
  type LogLine,
  queryOf,
  type Role,
  useData,
} from './data.js';
import { endpointName } from './endpoints.js';
import { Problem } from './problem.js';
import { Scrolled } from './scrolled.js';
import { useDashboardTexts } from './texts.js';

/** Height of a row, px; as in dashboard.css. */
const ROW = 32;
const VIEW = 480;
/** Rows beyond the view that are in the document, too. */
const BEYOND = 12;
/** Pixels of scrolling after which other rows are rendered. */
const STEP = 6 * ROW;
const PAGE_LINES = 1_000;
/** Pages without a fitting line that are read one after another before the person is asked. */
const EMPTY_PAGES = 20;

/** An earlier day is one whose year is still typed. */
const EARLIEST = '1000';

const FILTERS = ['key', 'account', 'endpoint', 'status', 'from', 'to'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

function filtersOf(role: Role, parameters: URLSearchParams): Filters {
  const given = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? ''])) as Filters;
  return { ...given, account: chosenAccount(role, parameters) ?? '' };
}

/** The address holds the filters, so a link to it shows the same lines. */
function show(filters: Filters): void {
  const set = Object.entries(filters).filter(([, value]) => value !== '');
  goTo(linkTo(['dashboard', 'log'], new URLSearchParams(set)));
}

const ENDPOINTS = ['semantic', 'semantic-analytics', 'details', 'drawings', 'coverage', 'mcp'];
/** Without 401: calls without a known key are not in the log. */
const STATUSES = ['2xx', '3xx', '4xx', '5xx', '403', '404', '422', '429', '500', '503'];

export function Log({ role, parameters }: { role: Role; parameters: URLSearchParams }) {
  const texts = useDashboardTexts();
  const filters = filtersOf(role, parameters);
  const known = useData(async () => ({ keys: await keysOf(role), accounts: await accountsOf(role) }), []);
  const [turn, setTurn] = useState(0);
  if (known.error) return <Problem error={known.error} onRetry={known.reload} />;
  if (!known.data) return <Progress text={texts.loading} />;
  return (
    <section>
      <LogFilters
        role={role}
        keys={known.data.keys}
        accounts={known.data.accounts}
        filters={filters}
        onChange={show}
      />
      <p class="soft">{texts.log.leftOut}</p>
      <p>
        <button type="button" class="button" onClick={() => setTurn((before) => before + 1)}>
          {texts.log.refresh}
        </button>
      </p>
      <Lines
        key={`${turn} ${JSON.stringify(filters)}`}
        role={role}
        filters={filters}
        keys={known.data.keys}
        accounts={known.data.accounts}
      />
    </section>
  );
}

interface FilterProps {
  role: Role;
  keys: readonly Key[];
  accounts: readonly Account[];
  filters: Filters;
  onChange(filters: Filters): void;
}

function LogFilters({ role, keys, accounts, filters, onChange }: FilterProps) {
  const texts = useDashboardTexts();
  const { log: words } = texts;
  // The keys of the chosen account.
  const shown = keys.filter(({ account }) => filters.account === '' || account === filters.account);
  const chooseAccount = (account: string) => {
    const isOf = keys.some(({ id, account: owner }) => id === filters.key && owner === account);
    onChange({ ...filters, account, key: account === '' || isOf ? filters.key : '' });
  };
  const accountNames = distinctNames(accounts);
  // The account is not said of each key if it is the only one.
  const isOfMany = role === 'operator' && filters.account === '';
  const keyName = ({ id, name, account }: Key) =>
    isOfMany
      ? `${isolated(name)} (${id}) · ${accountNames.get(account) ?? account}`
      : `${isolated(name)} (${id})`;
  const choice = (name: keyof Filters, label: string, options: readonly (readonly [string, string])[]) => (
    <label>
      <span>{label}</span>
      <select
        value={filters[name]}
        onChange={({ currentTarget: { value } }) =>
          name === 'account' ? chooseAccount(value) : onChange({ ...filters, [name]: value })
        }
      >
        <option value="">{words.any}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const day = (name: 'from' | 'to') => (
    <label>
      <span>{words[name]}</span>
      <input
        type="date"
        value={filters[name]}
        onChange={({ currentTarget: { value } }) => {
          // While a year is typed, browsers tell of the years 2, 20 and 202.
          if (value === '' || value >= EARLIEST) onChange({ ...filters, [name]: value });
        }}
      />
    </label>
  );
  return (
    <div class="dashboard-filters">
      {role === 'operator' && choice('account', words.account, [...accountNames])}
      {choice(
        'key',
        words.key,
        shown.map((key) => [key.id, keyName(key)] as const),
      )}
      {choice(
        'endpoint',
        words.endpoint,
        ENDPOINTS.map((name) => [name, endpointName(texts, name)] as const),
      )}
      {choice(
        'status',
        words.status,
        STATUSES.map((name) => [name, name] as const),
      )}
      {day('from')}
      {day('to')}
    </div>
  );
}

interface LinesProps {
  role: Role;
  filters: Filters;
  keys: readonly Key[];
  accounts: readonly Account[];
}

function Lines({ role, filters, keys, accounts }: LinesProps) {
  const texts = useDashboardTexts();
  const { number } = useTexts();
  const { log: words } = texts;
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [next, setNext] = useState<string | undefined>('');
  const [error, setError] = useState<ApiError>();
  const isLoading = useRef(false);
  const load = useCallback(async (from: string) => {
    if (isLoading.current) return;
    isLoading.current = true;
    setError(undefined);
    try {
      let cursor: string | undefined = from;
      for (let pages = 0; pages < EMPTY_PAGES && cursor !== undefined; pages++) {
        const query = queryOf({ ...filters, limit: String(PAGE_LINES), cursor });
        const page: { lines: LogLine[]; next?: string } = await get(role, `/logs${query}`);
        cursor = page.next;
        setNext(cursor);
        setLines((before) => [...before, ...page.lines]);
        if (page.lines.length > 0) break;
      }
    } catch (cause) {
      setError(failureOf(cause));
    } finally {
      isLoading.current = false;
    }
  }, []);
  useEffect(() => void load(''), []);
  const [top, setTop] = useState(0);
  // Servers store queries only if their operator wants it.
  const hasQueries = lines.some(({ query }) => query !== undefined);
  const hasReasons = lines.some(({ error_code: code }) => code !== undefined);
  const names = distinctNames(keys);
  const accountNames = distinctNames(accounts);
  const owners = new Map(keys.map(({ id, account }) => [id, accountNames.get(account) ?? account]));
  const columns = [
    ['time', words.time],
    ['status', words.status],
    ...(hasReasons ? [['reason', words.reason]] : []),
    ['endpoint', words.endpoint],
    ...(role === 'operator' ? [['account', words.account]] : []),
    ['key', words.key],
    ['ms', words.ms],
    ['results', words.results],
    ['client', words.client],
    ['request', words.request],
    ...(hasQueries ? [['query', words.query]] : []),
  ] as const;
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
  const shown = lines.slice(first, Math.ceil((top + VIEW) / ROW) + BEYOND);
  const scrolled = (event: Event) => {
    const { scrollTop } = event.currentTarget as HTMLElement;
    // Renders after some rows of scrolling, not after each pixel.
    setTop(Math.floor(scrollTop / STEP) * STEP);
    // After a failure, the person says when it is read again.
    if (!error && next !== undefined && next !== '' && scrollTop + 3 * VIEW > lines.length * ROW)
      void load(next);
  };
  const problem = error && <Problem error={error} onRetry={() => load(next ?? '')} />;
  if (next === '') return problem ?? <Progress text={texts.loading} />;
  if (lines.length === 0 && next === undefined) return <p>{words.none}</p>;
  return (
    <>
      <p role="status">
        {words.lines(number(lines.length), next !== undefined)}{' '}
        {next !== undefined && (
          <button type="button" class="button plain" onClick={() => load(next)}>
            +<span class="unseen">{words.lines(number(lines.length), true)}</span>
          </button>
        )}
      </p>
      {problem}
      <Scrolled class="log-lines" label={texts.tabs.log} onScroll={scrolled}>
        <table aria-rowcount={lines.length + 1}>
          <thead>
            <tr>
              {columns.map(([name, title]) => (
                <th key={name} scope="col" class={`log-${name}`}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first > 0 && (
              <tr class="space">
                <td colSpan={columns.length} style={{ height: `${first * ROW}px` }} />
              </tr>
            )}
            {shown.map((line, at) => (
              <tr key={first + at} aria-rowindex={first + at + 2} class="log-line">
                <td>{line.time.replace('T', ' ').slice(0, 19)}</td>
                <td class={line.status >= 500 ? 'bad' : line.status >= 400 ? 'warn' : 'good'}>
                  {line.status}
                  {line.error_code !== undefined && (
                    <span title={line.error_code}> {reasonOf(line.error_code, words)}</span>
                  )}
                </td>
                {hasReasons && <Reason code={line.error_code} />}
                <td title={line.endpoint}>{endpointName(texts, line.endpoint)}</td>
                {role === 'operator' && <td title={owners.get(line.key)}>{owners.get(line.key) ?? ''}</td>}
                <td title={line.key}>{names.get(line.key) ?? line.key}</td>
                <td class="figure">{line.ms.toFixed(1)} ms</td>
                <td class="figure">{line.result_count ?? ''}</td>
                <td>{line.client}</td>
                <td title={line.request_id}>{line.request_id}</td>
                {hasQueries && <td title={line.query}>{line.query ?? ''}</td>}
              </tr>
            ))}
            {first + shown.length < lines.length && (
              <tr class="space">
                <td
                  colSpan={columns.length}
                  style={{ height: `${(lines.length - first - shown.length) * ROW}px` }}
                />
              </tr>
            )}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

/** What the code of a refused call means. */
function Reason({ code = '' }: { code?: string | undefined }) {
  const meanings: Readonly<Record<string, string>> = useDashboardTexts().codes;
  return <td title={meanings[code]}>{meanings[code]}</td>;
}

/** Why a call was refused, in a word. */
function reasonOf(code: string, words: DashboardTexts['log']): string {
  if (code === 'rate_limited') return words.minute;
  if (code === 'quota_exceeded') return words.month;
  return code;
}
