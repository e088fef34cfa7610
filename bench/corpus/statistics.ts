/** Statistics of a data folder: the generator reproduces those of real documents. */
import { fillOf } from '../../src/ingest/passages.js';
import type { Patent } from '../../src/patent/record.js';
import type { Store } from '../../src/store/store.js';
import { mean, type Quantiles, quantilesOf } from './random.js';

/** Lengths of texts in passages: 1,200 Latin characters or 500 Chinese, Japanese or Korean ones. */
export interface TextStatistics {
  documents: number;
  abstract: Quantiles;
  claims: Quantiles;
  claim: Quantiles;
  /** Lengths in full texts: of the whole description, and of one paragraph. */
  description: Quantiles;
  paragraph: Quantiles;
  passages: Quantiles;
  meanPassages: number;
}

export interface Statistics {
  documents: number;
  passages: number;
  /** Documents with a description; documents with only abstract or claims. */
  full: TextStatistics;
  short: TextStatistics;
  title: Quantiles;
  /** Share of documents by year of filing. */
  filingYears: Record<string, number>;
  /** Days from filing to publication. */
  applicationLag: Quantiles;
  grantLag: Quantiles;
  /** Share of documents that claim a priority, and days from the priority to filing. */
  priorityShare: number;
  priorityLag: Quantiles;
  applicants: Quantiles;
  /** Share of all documents that the 1, 10, 100 and 1,000 largest applicants hold together. */
  applicantConcentration: Record<string, number>;
  inventors: Quantiles;
  ipcCodes: Quantiles;
  cpcCodes: Quantiles;
  /** Share of documents by the subclass of their first code. */
  subclasses: Record<string, number>;
  /** Shares of a document's further codes with the subclass of its first code, and with its main group. */
  sameSubclass: number;
  sameGroup: number;
}

const DAY = 86_400_000;

/** Measures texts and columns, without vectors. */
export function statisticsOf(store: Store): Statistics {
  const patents = new Sample(store);
  const { all, full, short } = patents;
  // Documents with text are a random sample. Documents with only a title come from a few weeks of one office.
  const texted = [...full, ...short];
  const dated = texted.filter(({ filing_date: date }) => date !== undefined);
  const lag = (from: keyof Patent, to: keyof Patent, of: readonly Patent[]) =>
    of.flatMap((patent) => {
      const [a, b] = [patent[from], patent[to]] as [string | undefined, string | undefined];
      const days = a && b ? (Date.parse(b) - Date.parse(a)) / DAY : -1;
      return days > 0 ? [days] : [];
    });
  const grants = dated.filter(({ kind_code: kind }) => /^[BCY]/.test(kind));
  const firsts = all.flatMap(({ ipc_codes: codes }) => (codes?.[0] ? [codes[0].slice(0, 4)] : []));
  const pairs = texted.flatMap(({ ipc_codes: [first, ...rest] = [] }) =>
    rest.map((code) => [first!, code] as const),
  );
  const years = dated.map(({ filing_date: date }) => date!.slice(0, 4)).filter((year) => year >= '1970');
  const prioritised = lag('priority_date', 'filing_date', texted);
  return {
    documents: all.length,
    passages: patents.passages,
    full: textsOf(full, patents.counts),
    short: textsOf(short, patents.counts),
    title: quantilesOf(all.flatMap(({ title }) => (title ? [fillOf(title)] : []))),
    filingYears: sharesOf(years),
    applicationLag: quantilesOf(
      lag(
        'filing_date',
        'publication_date',
        dated.filter(({ kind_code: kind }) => /^[AU]/.test(kind)),
      ),
    ),
    grantLag: quantilesOf(lag('filing_date', 'publication_date', grants)),
    priorityShare: rounded(prioritised.length / Math.max(1, dated.length)),
    priorityLag: quantilesOf(prioritised),
    applicants: quantilesOf(lengthsOf(texted, 'applicants')),
    applicantConcentration: concentrationOf(all),
    inventors: quantilesOf(lengthsOf(texted, 'inventors')),
    ipcCodes: quantilesOf(lengthsOf(texted, 'ipc_codes')),
    cpcCodes: quantilesOf(lengthsOf(texted, 'cpc_codes')),
    subclasses: sharesOf(firsts.filter((code) => /^[A-H]\d\d[A-Z]$/.test(code))),
    sameSubclass: rounded(mean(pairs.map(([a, b]) => (a.slice(0, 4) === b.slice(0, 4) ? 1 : 0)))),
    sameGroup: rounded(mean(pairs.map(([a, b]) => (a.split('/')[0] === b.split('/')[0] ? 1 : 0)))),
  };
}

/** The documents of a folder by their texts. Documents with only a title count for titles, names and codes. */
class Sample {
  readonly all: Patent[] = [];
  readonly full: Patent[] = [];
  readonly short: Patent[] = [];
  readonly counts = new Map<Patent, number>();
  passages = 0;

  constructor(store: Store) {
    for (const { key, value: head } of store.documents.getRange()) {
      // Designs have drawings instead of texts.
      if (/^S/.test(head.kind_code)) continue;
      const patent: Patent = { ...head, ...store.bodies.get(key) };
      this.all.push(patent);
      this.counts.set(patent, head.passages);
      this.passages += head.passages;
      if (patent.description && patent.claims) this.full.push(patent);
      else if (patent.abstract || patent.claims) this.short.push(patent);
    }
  }
}

function textsOf(patents: readonly Patent[], counts: ReadonlyMap<Patent, number>): TextStatistics {
  const paragraphs = patents.map(({ description = [] }) =>
    description.flatMap(({ paragraphs: list }) => list.map(({ text }) => fillOf(text))),
  );
  const passages = patents.map((patent) => counts.get(patent) ?? 0);
  const claimed = patents.filter(({ claims }) => claims !== undefined);
  return {
    documents: patents.length,
    abstract: quantilesOf(patents.flatMap(({ abstract }) => (abstract ? [fillOf(abstract)] : []))),
    claims: quantilesOf(claimed.map(({ claims }) => claims!.length)),
    claim: quantilesOf(claimed.flatMap(({ claims }) => claims!.map(({ text }) => fillOf(text)))),
    description: quantilesOf(paragraphs.map((list) => list.reduce((sum, fill) => sum + fill, 0))),
    paragraph: quantilesOf(paragraphs.flat()),
    passages: quantilesOf(passages),
    meanPassages: rounded(mean(passages)),
  };
}

function lengthsOf(patents: readonly Patent[], field: keyof Patent): number[] {
  return patents.flatMap((patent) => {
    const list = patent[field];
    return Array.isArray(list) && list.length > 0 ? [list.length] : [];
  });
}

function concentrationOf(patents: readonly Patent[]): Record<string, number> {
  const counts = new Map<string, number>();
  const named = patents.filter(({ applicants }) => applicants?.length);
  for (const { applicants } of named) {
    const { name } = applicants![0]!;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const share = (first: number) => sorted.slice(0, first).reduce((a, b) => a + b, 0) / named.length;
  return Object.fromEntries([1, 10, 100, 1_000].map((first) => [first, rounded(share(first))]));
}

/** Share of each value, the most frequent first. */
function sharesOf(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return Object.fromEntries(sorted.map(([value, count]) => [value, rounded(count / values.length)]));
}

export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
