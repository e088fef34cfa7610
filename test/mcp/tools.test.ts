/** Tools on an API in memory: lean rows, budgets, texts that are left out, schemas. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { MCP_IMAGE_MAX_BYTES, MCP_TOKENS } from '../../src/limits.js';
import { type CallOptions, type PatentApi, RestApi, type RestReply } from '../../src/mcp/api.js';
import { clipped, fairShare, fitting, lengthWithin, tokensOf } from '../../src/mcp/budget.js';
import { readResource } from '../../src/mcp/resources.js';
import { toolSchema } from '../../src/mcp/schemas.js';
import { TOOLS } from '../../src/mcp/tools.js';
import { analyticsSchema, semanticSchema } from '../../src/search/schema.js';
import type { DetailsEntry, HitExplanation, SearchResult } from '../../src/search/types.js';
import { random } from '../crash/folder.js';

const OPTIONS: CallOptions = { signal: new AbortController().signal, label: 'test' };
const PASSAGE = 'A solid electrolyte lies between the electrodes of the cell. '.repeat(20);

const hit = (n: number, text = PASSAGE): SearchResult => ({
  patent_id: `US${10_000_000 + n}B2`,
  title: `Battery with a solid electrolyte ${n}`,
  applicant: 'Example Company, Limited',
  filing_date: '2020-01-01',
  publication_date: '2021-07-01',
  ipc_codes: ['H01M 10/0562', 'H01M 10/0525'],
  kind_code: 'B2',
  country: 'US',
  similarity_score: 0.9 - n / 1000,
  rerank_score: 5 - n,
  representative_figure: `US${10_000_000 + n}B2-D00001.webp`,
  chunks: Array.from({ length: 5 }, (_, place) => ({
    text: `${place}: ${text}`,
    chunk_type: 'description' as const,
    section_name: 'DETAILED DESCRIPTION',
    paragraph_numbers: [place],
    claim_numbers: [],
    similarity_score: 0.9,
    rerank_score: 5 - place,
    highlights: [
      { from: 5, to: 10 },
      { from: 900, to: 905 },
    ],
  })),
});

function apiWith(changed: Partial<PatentApi>): { api: PatentApi; asked: object[] } {
  const asked: object[] = [];
  const refuse = () => Promise.reject(new Error('not expected'));
  const api: PatentApi = {
    ...{ search: refuse, analyze: refuse, details: refuse, coverage: refuse, drawing: refuse },
    ...changed,
  };
  const { search, details } = api;
  api.search = (request, options) => {
    asked.push(request);
    return search(request, options);
  };
  api.details = (request, options) => {
    asked.push(request);
    return details(request, options);
  };
  return { api, asked };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
async function run(name: string, args: Record<string, unknown>, api: PatentApi): Promise<any> {
  const tool = TOOLS.find((one) => one.name === name)!;
  const { structured } = await tool.run(args, api, OPTIONS);
  assert.deepEqual(tool.output.safeParse(structured).error, undefined);
  return structured;
}

const searching = (results: SearchResult[]) =>
  apiWith({ search: async () => ({ total: results.length, results }) });

describe('search_patents', () => {
  it('50 results are below 10,000 tokens, in every language', async () => {
    for (const text of [
      PASSAGE,
      '전극 사이에 고체 전해질이 있다. '.repeat(40),
      '固体电解质位于电极之间。'.repeat(60),
    ]) {
      const { api } = searching(Array.from({ length: 50 }, (_, n) => hit(n, text)));
      const answer = await run('search_patents', { query: 'x', top_k: 50 }, api);
      assert.equal(answer.results.length, 50);
      assert.ok(tokensOf(JSON.stringify(answer)) <= MCP_TOKENS.default);
      assert.ok(answer.left_out.characters > 0);
      assert.match(answer.left_out.hint, /max_tokens/);
    }
  });

  it('a lean row has the best passage; the full view has everything', async () => {
    const { api, asked } = searching([hit(1, 'short')]);
    const lean = await run('search_patents', { query: 'x', max_tokens: 5_000 }, api);
    assert.deepEqual(lean.results[0], {
      patent_id: 'US10000001B2',
      title: 'Battery with a solid electrolyte 1',
      applicant: 'Example Company, Limited',
      filing_date: '2020-01-01',
      publication_date: '2021-07-01',
      similarity_score: 0.899,
      representative_figure: 'US10000001B2-D00001.webp',
      chunks: [
        {
          text: '0: short',
          section_name: 'DETAILED DESCRIPTION',
          paragraph_numbers: [0],
          // The others are behind the end of the text.
          highlights: [],
        },
      ],
    });
    assert.equal(lean.left_out, undefined);
    const full = await run('search_patents', { query: 'x', view: 'full' }, api);
    assert.deepEqual(full.results, [hit(1, 'short')]);
    const explained = await run('search_patents', { query: 'x', explain: true }, api);
    assert.deepEqual(explained.results, [hit(1, 'short')]);
    // Own arguments do not reach the service.
    assert.deepEqual(asked, [{ query: 'x' }, { query: 'x' }, { query: 'x', explain: true }]);
  });

  it('a lean row has the beginning of a long passage, which no budget left out', async () => {
    const { api } = searching([hit(1, PASSAGE.repeat(8))]);
    const { results, left_out } = await run('search_patents', { query: 'x', max_tokens: 5_000 }, api);
    assert.match(results[0].chunks[0].text, /…$/);
    assert.equal(left_out, undefined, 'a larger max_tokens would give no more');
  });

  it('a small budget leaves out results, and says how many', async () => {
    const { api } = searching(Array.from({ length: 100 }, (_, n) => hit(n)));
    for (const view of ['lean', 'full']) {
      const answer = await run('search_patents', { query: 'x', max_tokens: 1_000, view }, api);
      assert.ok(answer.results.length >= 1 && answer.results.length < 100);
      assert.equal(answer.results.length + answer.left_out.results, 100);
      assert.ok(tokensOf(JSON.stringify(answer)) <= 1_000);
    }
  });
});

describe('max_tokens', () => {
  const next = random(51);
  const upTo = (most: number) => Math.floor(next() * (most + 1));
  const some = <T>(most: number, make: (n: number) => T): T[] =>
    Array.from({ length: upTo(most) }, (_, n) => make(n));
  const SCRIPTS = ['A "cell" \\ of a battery.\n', '고체 전해질. ', '固体电解质, ', 'Ω ≥ 5 µm; 10:1 '];
  const textOf = (most: number) => SCRIPTS[upTo(3)]!.repeat(1 + upTo(most)).slice(0, most);
  const members = () =>
    some(300, (n) => ({ patent_id: `US${n}B2`, country: 'US' as const, kind_code: 'B2' }));

  function randomHit(n: number): SearchResult {
    const chunks = some(4, (at) => ({
      ...hit(n).chunks[at]!,
      text: textOf(3_000),
      paragraph_numbers: some(200, (number) => number),
    }));
    const places = chunks.flatMap(({ text }, chunk) =>
      some(chunk === 0 ? 300 : 20, (at) => ({ chunk, from: at, to: Math.min(at + 1, text.length) })),
    );
    const explanation: HitExplanation = {
      ...{ reranker: 1, lexical: 0, lexical_weight: 0, language: 0, found_by: 'similarity', rank: n + 1 },
      ...(chunks.length > 0 ? { decided_by: upTo(chunks.length - 1) } : {}),
      matches: places.map((place) => ({ term: 'cell', documents: 5, ...place })),
      must_terms: some(20, () => ({ term: textOf(200), in: ['title' as const] })),
    };
    return {
      ...hit(n),
      applicant: textOf(3_000),
      ipc_codes: some(100, () => 'H01M 10/0562'),
      chunks,
      ...(next() < 0.5 ? { members: members() } : {}),
      ...(next() < 0.7 ? { explanation } : {}),
    };
  }

  const isKept = (answer: object, max_tokens: number, label: string) => {
    const tokens = tokensOf(JSON.stringify(answer));
    assert.ok(tokens <= max_tokens, `${label}: ${tokens} of ${max_tokens}`);
  };
  const randomBudget = () => 500 + upTo(next() < 0.5 ? 500 : 20_000);

  it('is kept by every search, and places lie in what is shown', async () => {
    for (let n = 0; n < 150; n++) {
      const results = Array.from({ length: 1 + upTo(12) }, (_, at) => randomHit(at));
      const applicant_names = next() < 0.2 ? some(500, () => textOf(40)) : undefined;
      const { api } = apiWith({
        search: async () => ({
          total: results.length,
          ...(applicant_names ? { applicant_names } : {}),
          results,
        }),
      });
      const max_tokens = randomBudget();
      const view = next() < 0.5 ? 'full' : 'lean';
      const answer = await run('search_patents', { query: 'x', view, max_tokens }, api);
      isKept(answer, max_tokens, `${view} ${n}`);
      assert.ok(answer.results.length > 0);
      assert.equal(answer.results.length + (answer.left_out?.results ?? 0), results.length);
      for (const [at, row] of answer.results.entries()) {
        const { chunks = [], explanation } = row;
        assert.equal(row.patent_id, results[at]!.patent_id);
        assert.equal(row.title, results[at]!.title);
        for (const { chunk, to } of explanation?.matches ?? []) assert.ok(to <= chunks[chunk].text.length);
        assert.ok((explanation?.decided_by ?? -1) < chunks.length);
        const isWhole = view === 'full' && JSON.stringify(row) === JSON.stringify(results[at]);
        if (view === 'full') assert.equal(isWhole, answer.left_out?.fields === undefined);
      }
    }
  });

  it('is kept by statistics with many counts and a long question', async () => {
    for (let n = 0; n < 100; n++) {
      const results = Array.from({ length: 1 + upTo(12) }, (_row, at) => {
        const { rerank_score: _, chunks, representative_figure, explanation, ...rest } = randomHit(at);
        return { ...rest, chunk_text: chunks[0]?.text ?? '' };
      });
      const counts = (most: number) => some(most, (at) => [String(1900 + at), at] as const);
      const stats = {
        by_year: Object.fromEntries(counts(120)),
        by_country: { US: 5, KR: 3 },
        top_applicants: some(20, () => ({ name: textOf(300), count: 5 })),
        top_ipc: some(20, () => ({ code: 'H01M', count: 5 })),
      };
      const answered = {
        ...{ query: textOf(10_000), total_matched: 5, min_score_used: 0.5, page: 1, page_size: 20 },
        ...{ total_pages: 1, stats, results },
      };
      const { api } = apiWith({ analyze: async () => answered });
      const max_tokens = randomBudget();
      const view = next() < 0.5 ? 'full' : 'lean';
      const answer = await run('analyze_patents', { query: 'x', view, max_tokens }, api);
      isKept(answer, max_tokens, `${view} ${n}`);
      assert.deepEqual(answer.stats.by_country, stats.by_country);
      for (const name of ['query', 'stats'] as const) {
        const isCut = JSON.stringify(answer[name]) !== JSON.stringify(answered[name]);
        assert.equal(isCut, answer.left_out?.fields?.includes(name) === true, name);
      }
    }
  });

  it('is kept by documents, whose texts JSON makes longer', async () => {
    for (let n = 0; n < 100; n++) {
      const patents = Array.from({ length: 1 + upTo(5) }, (_, at): DetailsEntry => {
        if (next() < 0.1) {
          const candidates = some(300, (number) => `US${number}B2`);
          return { patent_id: `${at}`, error: 'ambiguous', candidates };
        }
        const { metadata, ...rest } = entry(`US${at}B2`, textOf(50_000));
        return {
          ...rest,
          metadata: { ...metadata!, applicant: textOf(3_000), ipc_codes: some(100, () => 'H01M 10/0562') },
        };
      });
      const { api } = apiWith({ details: async () => ({ patents }) });
      const max_tokens = randomBudget();
      const answer = await run('get_patents', { patent_ids: ['x'], max_tokens }, api);
      isKept(answer, max_tokens, String(n));
      assert.equal(answer.patents.length + (answer.left_out?.results ?? 0), patents.length);
    }
  });
});

describe('analyze_patents', () => {
  const counting = (total_matched: number, min_score_used: number) =>
    apiWith({
      analyze: async () => ({
        ...{ query: 'x', total_matched, min_score_used, page: 1, page_size: 20, total_pages: 1 },
        ...{ stats: {}, results: [] },
      }),
    }).api;

  it('says what to change if few documents reach the threshold', async () => {
    const few = await run('analyze_patents', { query: 'x' }, counting(1, 0.5));
    assert.match(few.advice, /Only 1 reach min_score 0\.5.*give min_score 0\.2.*full sentence/);
    assert.equal((await run('analyze_patents', { query: 'x' }, counting(40, 0.5))).advice, undefined);
    assert.equal((await run('analyze_patents', { query: 'x' }, counting(1, 0.2))).advice, undefined);
  });
});

const entry = (patent_id: string, content: string): DetailsEntry => ({
  patent_id,
  metadata: {
    ...{ title: 'A title', applicant: 'Example', ipc_codes: [], kind_code: 'B2', country: 'US' },
  },
  content,
});

describe('get_patents', () => {
  it('parts of a long document, one after the other, are the document', async () => {
    const text = Array.from({ length: 3_000 }, (_, n) => `[${n}] 문단 paragraph 😀 ${n}\n`).join('');
    const { api } = apiWith({ details: async () => ({ patents: [entry('US1B2', text)] }) });
    let whole = '';
    let offset: number | undefined = 0;
    for (let parts = 0; offset !== undefined; parts++) {
      assert.ok(parts < 100);
      const answer = await run('get_patents', { patent_ids: ['US1B2'], offset, max_tokens: 4_000 }, api);
      assert.ok(tokensOf(JSON.stringify(answer.patents[0].content)) <= 5_000);
      const [{ content, next_offset }] = answer.patents;
      whole += content;
      assert.equal(answer.left_out === undefined, next_offset === undefined);
      offset = next_offset;
    }
    assert.equal(whole, text);
  });

  it('each part of a document goes on, also beside long bibliographic data', async () => {
    const text = '배터리 cell 😀 "A";\n'.repeat(200);
    const codes = Array.from({ length: 60 }, (_, n) => `H01M 10/${1000 + n}`);
    const { metadata } = entry('US1B2', text);
    for (const changed of [
      { ipc_codes: codes },
      { applicant: '엘지에너지솔루션; '.repeat(300) },
      { title: '이차 전지의 제조 방법 및 '.repeat(100), applicant: 'A'.repeat(3_000), ipc_codes: codes },
      { title: '"\n'.repeat(500) },
    ]) {
      const patents = [{ ...entry('US1B2', text), metadata: { ...metadata!, ...changed } }];
      const { api } = apiWith({ details: async () => ({ patents }) });
      let whole = '';
      let offset: number | undefined = 0;
      let parts = 0;
      for (; offset !== undefined; parts++) {
        const asked = { patent_ids: ['US1B2'], offset, max_tokens: MCP_TOKENS.min };
        const answer = await run('get_patents', asked, api);
        assert.ok(tokensOf(JSON.stringify(answer)) <= MCP_TOKENS.min, JSON.stringify(answer));
        const [{ content, next_offset }] = answer.patents;
        assert.ok(next_offset === undefined || next_offset > offset, `${next_offset} after ${offset}`);
        whole += content;
        offset = next_offset;
      }
      assert.equal(whole, text);
      assert.ok(parts < 100, `${parts} parts`);
    }
    // Short contents leave the room to the bibliographic data.
    const short = [{ ...entry('US1B2', 'short'), metadata: { ...metadata!, ipc_codes: codes } }];
    const { api } = apiWith({ details: async () => ({ patents: short }) });
    const answer = await run('get_patents', { patent_ids: ['US1B2'], max_tokens: 1_000 }, api);
    assert.deepEqual(answer.patents, short);
  });

  it('short documents leave room to long ones; those that do not fit are counted', async () => {
    const patents = [
      entry('A', 'short'),
      entry('B', PASSAGE.repeat(40)),
      { patent_id: 'C', error: 'not_found' as const },
    ];
    const { api } = apiWith({ details: async () => ({ patents }) });
    const answer = await run('get_patents', { patent_ids: ['A', 'B', 'C'], max_tokens: 2_000 }, api);
    assert.equal(answer.patents[0].content, 'short');
    assert.ok(tokensOf(answer.patents[1].content) > 1_000);
    assert.deepEqual(answer.patents[2], patents[2]);
    const many = Array.from({ length: 200 }, (_, n) => entry(`US${n}`, PASSAGE));
    const { api: all } = apiWith({ details: async () => ({ patents: many }) });
    const some = await run('get_patents', { patent_ids: ['x'], max_tokens: 1_000 }, all);
    assert.equal(some.patents.length + some.left_out.results, 200);
  });
});

it('fetch says where to read on, and an offset behind the end is refused', async () => {
  const text = PASSAGE.repeat(4_000);
  const { api } = apiWith({ details: async () => ({ patents: [entry('US1B2', text)] }) });
  const { text: beginning, metadata } = await run('fetch', { id: 'US1B2' }, api);
  assert.ok(text.startsWith(beginning) && beginning.length < text.length);
  const offset = Number(/offset (\d+)$/.exec(metadata.left_out.hint)?.[1]);
  const rest = await run('get_patents', { patent_ids: ['US1B2'], offset }, api);
  assert.ok(text.startsWith(beginning + rest.patents[0].content));
  await assert.rejects(run('get_patents', { patent_ids: ['US1B2'], offset: text.length }, api), {
    message: new RegExp(`expected less than ${text.length}, the characters of content`),
  });
});

it('a large drawing is given as a link', async () => {
  const image = async () => new Uint8Array(MCP_IMAGE_MAX_BYTES + 1);
  const { api } = apiWith({ drawing: async () => ({ link: 'https://example.com/a.webp', image }) });
  const tool = TOOLS.find(({ name }) => name === 'get_drawing')!;
  const { structured, blocks } = await tool.run({ publication_id: 'A', filename: 'a.webp' }, api, OPTIONS);
  assert.deepEqual(
    blocks?.map(({ type }) => type),
    ['resource_link'],
  );
  assert.match(JSON.stringify(structured['left_out']), /open its link/);
});

it('a large drawing of a bucket is given as a link, too', async (t) => {
  const bucket = createServer((_, response) => response.end(Buffer.alloc(MCP_IMAGE_MAX_BYTES + 1)));
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  t.after(() => bucket.close().closeAllConnections());
  const location = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}/a.webp`;
  const redirect: RestReply = { status: 302, header: () => location, body: new Uint8Array() };
  const api = new RestApi(async () => redirect, 'https://example.com');
  const tool = TOOLS.find(({ name }) => name === 'get_drawing')!;
  const { structured, blocks } = await tool.run({ publication_id: 'A', filename: 'a.webp' }, api, OPTIONS);
  const link = 'https://example.com/api/v1/drawings/A/a.webp';
  assert.deepEqual(blocks, [{ type: 'resource_link', uri: link, name: 'a.webp', mimeType: 'image/webp' }]);
  assert.equal(structured['link'], link);
  assert.match(JSON.stringify(structured['left_out']), /open its link/);
  assert.ok(tool.output.safeParse(structured).success, JSON.stringify(structured));
});

it('a drawing that cannot be read is an error', async () => {
  const image = () => Promise.reject(new PriorartError('unavailable', 'the storage is gone'));
  const { api } = apiWith({ drawing: async () => ({ image }) });
  const asked = { publication_id: 'A', filename: 'a.webp' };
  await assert.rejects(run('get_drawing', asked, api), { code: 'unavailable' });
});

it('without a file name, the representative drawing is shown', async () => {
  const asked: unknown[] = [];
  const { api } = apiWith({
    details: async () => ({ patents: [{ ...entry('US1', PASSAGE), representative_figure: 'a.webp' }] }),
    drawing: async (...request: unknown[]) => {
      asked.push(request.slice(0, 2));
      return { image: async () => new Uint8Array(5) };
    },
  });
  const { filename, bytes } = await run('get_drawing', { publication_id: 'US1' }, api);
  assert.deepEqual({ filename, bytes, asked }, { filename: 'a.webp', bytes: 5, asked: [['US1', 'a.webp']] });
  const { api: without } = apiWith({ details: async () => ({ patents: [entry('US1', PASSAGE)] }) });
  await assert.rejects(run('get_drawing', { publication_id: 'US1' }, without), {
    code: 'not_found',
    message: /US1 has no representative drawing/,
  });
});

it('an unknown number is not found', async () => {
  const patents = [{ patent_id: 'US99', error: 'not_found' as const }];
  const { api } = apiWith({ details: async () => ({ patents }) });
  const refusal = (field: string) => ({
    code: 'not_found',
    message: `${field}: got "US99"; expected the number of a stored publication`,
  });
  await assert.rejects(run('fetch', { id: 'US99' }, api), refusal('id'));
  await assert.rejects(run('get_drawing', { publication_id: 'US99' }, api), refusal('publication_id'));
  await assert.rejects(readResource('patent://US99', api, OPTIONS), { code: 'not_found' });
});

it('an ambiguous number names its candidates', async () => {
  const patents = [{ patent_id: '123', error: 'ambiguous' as const, candidates: ['US123B1', 'US123B2'] }];
  const { api } = apiWith({ details: async () => ({ patents }) });
  await assert.rejects(run('fetch', { id: '123' }, api), {
    code: 'invalid_request',
    message: /expected one of US123B1, US123B2/,
  });
  await assert.rejects(readResource('patent://123', api, OPTIONS), /it fits US123B1, US123B2/);
});

it('addresses without a resource are refused', async () => {
  const { api } = apiWith({});
  for (const uri of [
    'patent://',
    'patent://a/b',
    'drawing://a',
    'file:///etc/passwd',
    'patent://%zz',
    'x',
    'drawing:///a',
  ])
    await assert.rejects(readResource(uri, api, OPTIONS), { code: 'not_found' }, uri);
});

describe('schemas of tools', () => {
  const inputOf = (name: string) => toolSchema(TOOLS.find((tool) => tool.name === name)!.input, 'input');

  it('have every field of the HTTP interface, and the tool’s own', () => {
    const own = ['view', 'max_tokens'];
    assert.deepEqual(Object.keys(inputOf('search_patents').properties!), [
      ...Object.keys(semanticSchema.shape),
      ...own,
    ]);
    const analytics = Object.keys(analyticsSchema.shape).filter((name) => name !== 'top_k');
    assert.deepEqual(Object.keys(inputOf('analyze_patents').properties!), [...analytics, ...own]);
  });

  it('are objects without alternatives at the top, without null and without patterns', () => {
    for (const tool of TOOLS) {
      for (const schema of [toolSchema(tool.input, 'input'), toolSchema(tool.output, 'output')]) {
        assert.equal(schema.type, 'object', tool.name);
        assert.doesNotMatch(
          JSON.stringify(schema),
          /"(?:pattern|\$schema)":|"null"|9007199254740991/,
          tool.name,
        );
        for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref'])
          assert.equal(schema[keyword], undefined, tool.name);
      }
    }
  });
});

describe('budgets', () => {
  it('a cut never divides a character', () => {
    const text = '😀'.repeat(50);
    for (let tokens = 0; tokens < 120; tokens++) {
      const length = lengthWithin(text, tokens);
      assert.equal(length % 2, 0);
      assert.ok(tokensOf(text.slice(0, length)) <= tokens);
    }
    assert.equal(clipped('short', 100), 'short');
    assert.equal(clipped('a b c d e f', 1), 'a b…');
  });

  it('small sizes leave their share to large ones', () => {
    assert.equal(fairShare([10, 100, 100], 110), 50);
    assert.equal(fairShare([10, 20], 100), 20);
    assert.equal(fairShare([], 100), 0);
    assert.equal(fairShare([5, 5], -3), 0);
    assert.equal(fitting([10, 10, 10], 25), 2);
    assert.equal(fitting([100], 25), 1);
    assert.equal(fitting([], 25), 0);
  });
});
