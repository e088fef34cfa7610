/** The data and the requests of the HTTP benchmark. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccessStore } from '../../src/access/store.js';
import { accessDir } from '../../src/cli/access-folder.js';
import { open } from '../../src/engine.js';
import { ROOT } from '../machine.js';
import type { Message } from './generator.js';

const FIXTURES = join(ROOT, 'fixtures');

export interface Data {
  dir: string;
  key: string;
  documents: number;
  passages: number;
  /** The mix: 70 % searches, half of them filtered, 15 % details, 10 % statistics, 5 % coverage and drawings. */
  mix: Message[];
  searches: Message[];
  cheap: { coverage: Message; drawings: Message };
}

/** Ingests the example patents. Repeats those in JSON lines with new numbers up to `documents` documents. */
export async function prepare(dir: string, documents: number): Promise<Data> {
  const more = join(dir, 'more.jsonl');
  writeFileSync(more, renumbered(documents));
  const data = join(dir, 'data');
  const engine = await open(data, { create: true, workers: 1 });
  try {
    await engine.ingest([join(FIXTURES, 'us'), join(FIXTURES, 'kr'), join(FIXTURES, 'jsonl'), more]);
    const { total, chunks } = await engine.coverage();
    const found = await engine.search({ query: 'battery with a solid electrolyte', top_k: 100 });
    const shown = found.results.find(({ representative_figure: figure }) => figure !== undefined);
    if (!shown) throw new Error('no patent has a drawing: is the package sharp installed?');
    const key = await keyOf(data);
    const ids = found.results.map(({ patent_id: id }) => id);
    return {
      dir: data,
      key,
      documents: total,
      passages: chunks,
      ...requests(key, ids, `/api/v1/drawings/${shown.patent_id}/${shown.representative_figure}`),
    };
  } finally {
    await engine.close();
  }
}

function renumbered(count: number): string {
  const files = readdirSync(join(FIXTURES, 'jsonl')).filter((name) => name.endsWith('.jsonl'));
  const lines = files.flatMap((name) =>
    readFileSync(join(FIXTURES, 'jsonl', name), 'utf8')
      .trim()
      .split('\n'),
  );
  const patents = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const made = Array.from({ length: count }, (_, n) => {
    const {
      publication_number: _p,
      application_number: _a,
      family_id: _f,
      figures: _g,
      ...patent
    } = patents[n % patents.length]!;
    const year = 2000 + (n % 24);
    return {
      ...patent,
      patent_id: `US${year}0${String(100_000 + n)}A1`,
      country: 'US',
      kind_code: 'A1',
      title: `${patent['title']} ${n}`,
      filing_date: `${year}-0${1 + (n % 9)}-15`,
    };
  });
  return `${made.map((patent) => JSON.stringify(patent)).join('\n')}\n`;
}

/** Name of the account of the benchmarks. A folder that is kept has it from the first run on. */
const ACCOUNT = 'Benchmark';

/** Makes an API key of an account without a quota. */
export async function keyOf(data: string): Promise<string> {
  const access = AccessStore.open(accessDir(data));
  try {
    const account =
      access.accountNamed(ACCOUNT) ?? (await access.createAccount({ name: ACCOUNT, plan: 'enterprise' }));
    const made = await access.createKey({ account: account.id, environment: 'test', name: 'benchmark' });
    return made.secret;
  } finally {
    await access.close();
  }
}

function requests(
  key: string,
  ids: readonly string[],
  drawing: string,
): Pick<Data, 'mix' | 'searches' | 'cheap'> {
  const queries = readFileSync(join(FIXTURES, 'queries.tsv'), 'utf8').trim().split('\n').slice(1);
  const texts = queries.map((line) => line.split('\t')[2]!);
  const filters = [
    { countries: ['US', 'KR'] },
    { ipc_codes: ['H01M'] },
    { filing_date_from: '2010-01-01', filing_date_to: '2015-12-31' },
    { doc_type: 'application', countries: ['US'], filing_date_from: '2005-01-01' },
  ];
  const each = 1 / texts.length;
  const search = (query: string, more: object, weight: number) => ({
    kind: 'semantic',
    weight,
    text: post(key, '/api/v1/search/semantic', { query, ...more }),
  });
  const searches = texts.flatMap((query, n) => [
    search(query, {}, 35 * each),
    search(query, filters[n % filters.length]!, 35 * each),
  ]);
  const details = texts.map((_, n) => ({
    kind: 'details',
    weight: 15 * each,
    text: post(key, '/api/v1/patents/details', { patent_ids: ids.slice(n % 20, (n % 20) + 1 + (n % 10)) }),
  }));
  const analytics = texts.map((query) => ({
    kind: 'analytics',
    weight: 10 * each,
    text: post(key, '/api/v1/search/semantic-analytics', {
      query,
      stats_group_by: ['year', 'country', 'applicant', 'ipc'],
    }),
  }));
  const cheap = {
    coverage: { kind: 'coverage', weight: 2.5, text: get('/api/v1/stats/coverage') },
    drawings: { kind: 'drawings', weight: 2.5, text: get(drawing) },
  };
  return { mix: [...searches, ...details, ...analytics, cheap.coverage, cheap.drawings], searches, cheap };
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: benchmark\r\n\r\n`;
}

export function post(key: string, path: string, body: object): string {
  return postTo(path, { 'X-API-Key': key }, body);
}

/** A POST with JSON and further headers. */
export function postTo(path: string, headers: Readonly<Record<string, string>>, body: object): string {
  const text = JSON.stringify(body);
  const all = {
    Host: 'localhost',
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}
