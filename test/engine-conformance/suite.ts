/**
 * What every engine must do (src/engine-port.ts), as tests: an engine is compared with a reference that holds the same
 * publications, over random requests drawn from them. Both scan exactly, so that no index decides. The ids must come in
 * the same order; scores may differ by rounding, and so may the order of results whose scores differ by no more.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import { native } from '../../src/index/native.js';
import { companyKey } from '../../src/patent/name.js';
import type { Patent } from '../../src/patent/record.js';
import type { AnalyticsRequest, PatentFilter, SemanticRequest } from '../../src/search/schema.js';
import { questions, random } from '../crash/folder.js';
import { type Filters, numberSpellings, randomFilter } from '../search/requests.js';

/** An engine that holds some publications while the tests run. */
export interface Held {
  engine: Engine;
  close(): Promise<void>;
}

/** Opens an engine that holds the publications of some sources. */
export type Holding = (sources: readonly string[]) => Promise<Held>;

export interface Conformance {
  sources: readonly string[];
  subject: Holding;
  reference: Holding;
  /** Greatest difference of two scores that are equal but for rounding. Default: 0. */
  rounding?: number;
  /** Number of random searches. Default: 200. */
  searches?: number;
}

/** One request in this many is for statistics. */
const STATISTICS_EACH = 4;
/** Of this number of publications, one is deleted. */
const DELETED_EACH = 17;
const EXACT = { exact: true } as const;

/** A result with the scores by which results are ordered. */
interface Placed {
  id: string;
  scores: number[];
}

export function conformance(
  name: string,
  { sources, subject, reference, rounding = 0, searches = 200 }: Conformance,
): void {
  describe(`${name} answers as the reference`, () => {
    const held: Held[] = [];
    let [one, other] = [] as unknown as [Engine, Engine];
    let patents: Patent[] = [];
    const next = random(2026);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;

    before(async () => {
      for (const open of [subject, reference]) held.push(await open(sources));
      [one, other] = held.map(({ engine }) => engine) as [Engine, Engine];
      for await (const patent of other.patents()) patents.push(patent);
    });
    after(async () => {
      for (const { close } of held) await close();
    });

    /** The answer of both engines to a call; both may reject, with the same code. */
    async function both<T>(call: (engine: Engine) => Promise<T>): Promise<[T, T] | undefined> {
      const [mine, theirs] = await Promise.allSettled([call(one), call(other)]);
      if (mine.status === 'fulfilled' && theirs.status === 'fulfilled') return [mine.value, theirs.value];
      assert.equal(codeOf(mine), codeOf(theirs));
      return undefined;
    }

    function randomRequest(): SemanticRequest & Filters {
      const { fields } = randomFilter(next, patents);
      const title = pick(patents).title ?? 'a device';
      const question = pick([pick(questions(50)), title, title.split(/\s+/).slice(0, 2).join(' ')]);
      const id = () => pick(patents).patent_id;
      const subjects = [
        { query: question },
        { query: question, like: [id()] },
        { like: [id()], unlike: [id()] },
        { like: [id(), id(), id()] },
      ];
      return {
        ...pick([
          ...subjects,
          subjects[0]!,
          subjects[0]!,
          { query: id() },
          { query: `"${id().replace(/[A-Z]\d?$/, 'A')}"` },
          { query: 'H01M' },
          { query: `H01M ${question} G12C` },
        ]),
        ...pick([{}, {}, {}, { as_of: id() }]),
        ...pick([fields, fields, {}]),
        ...pick([{}, {}, { must_terms: [title.split(/\s+/)[0]!] }, { must_not_terms: ['battery'] }]),
        ...pick([
          {},
          {},
          { collapse: 'family' as const, prefer_countries: ['KR' as const] },
          { collapse: 'none' as const },
        ]),
        ...pick([{}, {}, {}, { balance: 'country' as const }]),
        ...pick([{}, {}, { rerank: 'off' as const }]),
      };
    }

    it('searches give the same publications in the same order', async () => {
      let [answered, found] = [0, 0];
      for (let n = 0; n < searches; n++) {
        const request = { ...randomRequest(), top_k: pick([1, 10, 40, 100]) };
        const answers = await both((engine) => engine.search(request, EXACT));
        if (answers === undefined) continue;
        const [mine, theirs] = answers;
        const what = JSON.stringify(request);
        const placed = ({ results }: typeof mine): Placed[] =>
          results.map((result) => ({
            id: result.patent_id,
            scores: [result.rerank_score, result.similarity_score],
          }));
        sameOrder(placed(mine), placed(theirs), rounding, what);
        if (rounding === 0) assert.deepEqual(mine, theirs, what);
        answered += 1;
        found += mine.results.length;
      }
      assert.ok(answered > searches / 2 && found > searches, `${answered} answers with ${found} results`);
    });

    it('statistics count the same publications', async () => {
      let counted = 0;
      for (let n = 0; n < searches / STATISTICS_EACH; n++) {
        const { rerank: _, ...asked } = randomRequest();
        const request: AnalyticsRequest = {
          ...asked,
          min_score: pick([0, 0.3, 0.5, 0.7]),
          page_size: 20,
          page: pick([1, 1, 2]),
          explain: true,
        };
        const answers = await both((engine) => engine.analyze(request));
        if (answers === undefined) continue;
        const [mine, theirs] = answers;
        const what = JSON.stringify(request);
        assert.deepEqual(mine.stats, theirs.stats, what);
        assert.equal(mine.total_matched, theirs.total_matched, what);
        const explained = ({ explanation, classification, excluded_by }: typeof mine) => ({
          exact: explanation?.exact,
          documents: explanation?.documents,
          ...{ classification, excluded_by },
        });
        assert.deepEqual(explained(mine), explained(theirs), what);
        assert.equal(mine.explanation?.exact, true, what);
        const placed = ({ results }: typeof mine): Placed[] =>
          results.map((result) => ({ id: result.patent_id, scores: [result.similarity_score] }));
        sameOrder(placed(mine), placed(theirs), rounding, what);
        counted += mine.total_matched;
      }
      assert.ok(counted > 100, `${counted} publications are counted`);
    });

    it('filters at their limits give the same publications', async () => {
      const codes = Array.from(
        { length: 1_000 },
        (_, n) => `H${String(n % 100).padStart(2, '0')}${'ABCDEFGHKL'[n % 10]}`,
      );
      const groups = Array.from({ length: 999 }, (_, n) => `H01M ${1 + n}`);
      const titles = patents.flatMap(({ title }) => title ?? []);
      const terms = Array.from({ length: 20 }, (_, n) => titles[n % titles.length]!.slice(0, 200));
      const words = [...new Set(titles.flatMap((title) => title.split(/\s+/)))].slice(0, 20);
      const query = 'a device that stores energy';
      // Terms of several words with many spellings and translations: as many as a request may have.
      const joined = [
        'lithium-ion',
        'self-aligned',
        'non-volatile',
        'high-voltage',
        'micro-processor',
        'photo-resist',
      ];
      const long = (more: string) =>
        joined.flatMap((a) => joined.map((b) => `${a} ${b} ${more}`)).slice(0, 20);
      const requests: SemanticRequest[] = [
        { query, ipc_codes: codes, cpc_codes: [...groups, 'H'] },
        { query, ipc_codes: ['H01M 10/0525', 'G'] },
        { query, must_not_terms: terms },
        { query, must_not_terms: words, must_terms: ['the'], translate_terms: true },
        { query, applicant: 'a'.repeat(200) },
        { query, applicant: 'ab'.repeat(100) },
        { query: titles.join(' ').slice(0, 10_000) },
        { query: titles.join(' ').slice(0, 5_000), must_not_terms: words, translate_terms: true },
        { query: titles.join(' ').slice(0, 10_000), must_not_terms: joined, translate_terms: true },
        { query: joined.join(' '), must_not_terms: long('fuel-cell'), translate_terms: true },
      ];
      for (const request of requests) {
        const what = JSON.stringify(request).slice(0, 300);
        const answers = await both((engine) => engine.search({ ...request, top_k: 40 }, EXACT));
        assert.ok(answers !== undefined, what);
        const placed = ({ results }: (typeof answers)[0]): Placed[] =>
          results.map((result) => ({
            id: result.patent_id,
            scores: [result.rerank_score, result.similarity_score],
          }));
        sameOrder(placed(answers[0]), placed(answers[1]), rounding, what);
      }
    });

    it('numbers in any spelling give the same records and details', async () => {
      const numbers = patents.flatMap((patent) => pick(numberSpellings(patent)));
      const asked = [...numbers.slice(0, 150), 'KR1019990000001A', 'nonsense'];
      for (const bibliography of [false, true]) {
        const details = await both((engine) => engine.details({ patent_ids: asked, bibliography }));
        assert.deepEqual(details?.[0], details?.[1]);
      }
      for (const number of asked) {
        const records = await both((engine) => engine.get(number));
        assert.deepEqual(records?.[0], records?.[1], number);
      }
    });

    it('all records of a filter come in the order of their patent_id', async () => {
      const applicants = [...new Set(patents.flatMap((patent) => patent.applicants ?? []))].slice(0, 12);
      const named = applicants.map(({ name }) => ({ applicant: name, applicant_expand: true }));
      for (const filter of [{}, { countries: ['KR' as const] }, { kind_codes: ['B1', 'B2'] }, ...named]) {
        const recordsOf = async (engine: Engine) => {
          const records: Patent[] = [];
          for await (const record of engine.patents({ filter })) records.push(record);
          return records;
        };
        const records = await both(recordsOf);
        assert.deepEqual(records?.[0], records?.[1]);
        const ids = records![0].map(({ patent_id }) => patent_id);
        assert.deepEqual(ids, [...ids].sort());
      }
    });

    it('names in any form of their Han characters, and words of names, find the same records', async () => {
      const idsOf = async (filter: PatentFilter) => {
        const ids = await both(async (engine) => {
          const found: string[] = [];
          for await (const { patent_id } of engine.patents({ filter })) found.push(patent_id);
          return found;
        });
        assert.deepEqual(ids?.[0], ids?.[1], JSON.stringify(filter));
        return ids![0];
      };
      const keysOf = (field: 'applicants' | 'inventors') => [
        ...new Set(patents.flatMap((patent) => (patent[field] ?? []).map(({ name }) => companyKey(name)))),
      ];
      const otherForm = (name: string) =>
        native
          .spellings(name)
          .map((ways) => ways.find((way) => !name.includes(way)) ?? ways[0])
          .join('');
      const several = (names: string[]) => names.filter((name) => otherForm(name) !== name).slice(0, 8);
      const [applicants, inventors] = [several(keysOf('applicants')), several(keysOf('inventors'))];
      assert.ok(applicants.length > 2 && inventors.length > 2);
      for (const applicant of applicants) {
        for (const applicant_match of ['contains', 'prefix', 'exact'] as const) {
          const found = await idsOf({ applicant, applicant_match });
          assert.ok(found.length > 0, applicant);
          assert.deepEqual(
            await idsOf({ applicant: otherForm(applicant), applicant_match }),
            found,
            applicant,
          );
        }
      }
      for (const inventor of inventors) {
        assert.deepEqual(await idsOf({ inventor: otherForm(inventor) }), await idsOf({ inventor }), inventor);
      }
      for (const word of ['works', 'work', 'energy', 'energies']) await idsOf({ must_terms: [word] });
    });

    it('the content is the same', async () => {
      const coverage = await both((engine) => engine.coverage());
      const counted = coverage!.map(({ index, generated_at: _, ...counts }) => [counts, index.model]);
      assert.deepEqual(counted[0], counted[1]);
    });

    it('a deletion holds at once, for all publications or for none', async () => {
      const doomed = patents.filter((_, n) => n % DELETED_EACH === 3).map(({ patent_id }) => patent_id);
      const missing = 'KR1019990000001A';
      const deleted = await both((engine) => engine.delete([...doomed, missing]));
      assert.deepEqual(deleted, Array(2).fill({ deleted: doomed, not_found: [missing] }));
      assert.deepEqual(
        await one.get(doomed),
        doomed.map(() => undefined),
      );
      patents = patents.filter(({ patent_id }) => !doomed.includes(patent_id));
      for (let n = 0; n < 20; n++) {
        const request = { query: pick(patents).title ?? 'a device', top_k: 100, include_utility_model: true };
        const [mine, theirs] = (await both((engine) => engine.search(request, EXACT)))!;
        const ids = mine.results.map(({ patent_id }) => patent_id);
        assert.deepEqual(
          ids.filter((id) => doomed.includes(id)),
          [],
        );
        assert.equal(mine.total, theirs.total);
      }
    });

    it('a replaced publication has its new content, once', async () => {
      const { patent_id, title: _, ...rest } = patents.find(({ title }) => title !== undefined)!;
      const title = 'Zymurgical quokka contraption';
      for (const engine of [one, other]) {
        const { updated, ingested } = await engine.ingest([
          { patent_id, ...rest, title, titles: {} },
        ] as never);
        assert.deepEqual({ updated, ingested }, { updated: 1, ingested: 0 });
      }
      const request = { query: title, must_terms: [title], include_utility_model: true };
      const [mine] = (await both((engine) => engine.search(request, EXACT)))!;
      assert.deepEqual(
        mine.results.map((result) => [result.patent_id, result.title]),
        [[patent_id, title]],
      );
    });
  });
}

function codeOf(end: PromiseSettledResult<unknown>): string {
  if (end.status === 'fulfilled') return 'an answer';
  return isPriorartError(end.reason) ? end.reason.code : String(end.reason);
}

/**
 * Compares two lists place by place: the scores are equal but for rounding. A publication that only one list has lies among
 * those with the last score of the other, which a list may cut anywhere.
 */
function sameOrder(mine: readonly Placed[], theirs: readonly Placed[], rounding: number, what: string): void {
  assert.equal(mine.length, theirs.length, what);
  if (rounding === 0) {
    assert.deepEqual(mine, theirs, what);
    return;
  }
  const isNear = (a: Placed, b: Placed) =>
    a.scores.every((score, n) => Math.abs(score - b.scores[n]!) <= rounding);
  const last = theirs.at(-1);
  for (const [n, place] of mine.entries()) {
    assert.ok(isNear(place, theirs[n]!), `${what}: place ${n + 1} ${JSON.stringify([place, theirs[n]])}`);
    const same = theirs.find(({ id }) => id === place.id);
    assert.ok(isNear(place, same ?? last!), `${what}: ${place.id} at place ${n + 1} is not in the reference`);
  }
}
