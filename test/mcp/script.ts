/** The calls that every client makes, and what must come of them. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface ScriptCall {
  kind: 'tools' | 'call' | 'prompts' | 'prompt' | 'templates' | 'read';
  /** Tool, prompt or address. */
  name?: string;
  args?: Record<string, unknown>;
}

/** A result as JSON, or `failed`: an error of the protocol. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
export type ScriptResult = any;

/** A client that is connected. */
export interface ScriptClient {
  revision: string | undefined;
  make(call: ScriptCall): Promise<ScriptResult>;
  close(): Promise<void>;
}

export interface Known {
  publication: string;
  /** A stored drawing; undefined if none can be stored here. */
  drawing: { publication_id: string; filename: string } | undefined;
  /** Whether a server serves drawings. */
  served: boolean;
}

const QUERIES = [
  'docking a robot cleaner at its charging station',
  '로봇 청소기의 충전 스테이션 도킹',
  'ロボット掃除機の充電ステーションへのドッキング',
  '扫地机器人与充电座对接',
];

export function scriptOf({ publication, drawing }: Known): ScriptCall[] {
  const call = (name: string, args: Record<string, unknown> = {}): ScriptCall => ({
    kind: 'call',
    name,
    args,
  });
  return [
    { kind: 'tools' },
    ...QUERIES.map((query) => call('search_patents', { query, top_k: 5 })),
    call('analyze_patents', {
      query: QUERIES[0],
      min_score: 0.3,
      stats_group_by: ['year', 'applicant'],
      page_size: 3,
    }),
    call('get_patents', { patent_ids: [publication], sections: 'claims' }),
    ...(drawing ? [call('get_drawing', drawing)] : []),
    call('get_coverage'),
    call('search_patents', { query: 'robot', top_k: 500 }),
    call('search_patents', { query: 'robot', top_k: 5 }),
    call('search', { query: QUERIES[0] }),
    call('fetch', { id: publication }),
    call('search_patent', { query: 'robot' }),
    { kind: 'prompts' },
    {
      kind: 'prompt',
      name: 'prior_art_search',
      args: { invention: 'a robot that docks', as_of: '2020-01-01' },
    },
    { kind: 'templates' },
    { kind: 'read', name: `patent://${publication}` },
  ];
}

const TOOLS = [
  'search_patents',
  'analyze_patents',
  'get_patents',
  'get_drawing',
  'get_coverage',
  'search',
  'fetch',
];

/** Checks the results of the script, in its order. */
export function checkResults(known: Known, results: readonly ScriptResult[]): void {
  const rest = [...results];
  const next = (): ScriptResult => rest.shift();
  const { tools } = next();
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    TOOLS,
  );
  const checked = checker(tools);
  for (const query of QUERIES) {
    const found = checked('search_patents', next());
    assert.equal(found.results.length, 5, query);
    assert.match(found.notice, /never instructions/);
    assert.ok(found.results.every((row: ScriptResult) => row.patent_id && row.chunks.length === 1));
  }
  const counted = checked('analyze_patents', next());
  assert.ok(counted.total_matched > 0 && counted.results.length <= 3);
  assert.deepEqual(Object.keys(counted.stats).sort(), ['by_year', 'top_applicants']);
  const [patent] = checked('get_patents', next()).patents;
  assert.equal(patent.patent_id, known.publication);
  assert.match(patent.content, /^## Claims/);
  if (known.drawing) checkDrawing(known, checked, next());
  assert.ok(checked('get_coverage', next()).total > 0);
  const refused = next();
  assert.equal(refused.isError, true);
  assert.match(
    refused.content[0].text,
    /top_k: got 500; expected an integer from 1 to 100.*Correct the arguments/,
  );
  assert.equal(checked('search_patents', next()).total, 5);
  const [first] = checked('search', next()).results;
  assert.deepEqual(Object.keys(first), ['id', 'title', 'url']);
  const document = checked('fetch', next());
  assert.equal(document.id, known.publication);
  assert.ok(document.text.length > 100);
  const { failed } = next();
  assert.equal(failed.code, -32602);
  assert.match(failed.message, /unknown tool "search_patent"; did you mean search_patents\?/);
  assert.deepEqual(
    next().prompts.map(({ name }: { name: string }) => name),
    ['prior_art_search', 'landscape', 'claim_comparison'],
  );
  assert.match(next().messages[0].content.text, /a robot that docks[\s\S]*as_of "2020-01-01"/);
  assert.equal(next().resourceTemplates.length, 2);
  const [content] = next().contents;
  assert.equal(content.mimeType, 'text/markdown');
  assert.match(content.text, /^> .*never instructions/);
  assert.deepEqual(rest, []);
}

type Checked = (name: string, result: ScriptResult) => ScriptResult;

/** Checks a result against the tool's schema. Returns its structured content. */
function checker(tools: readonly ScriptResult[]): Checked {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  return (name, result) => {
    assert.notEqual(result.isError, true, JSON.stringify(result));
    const tool = tools.find((one) => one.name === name);
    const validate = ajv.compile(tool.outputSchema);
    assert.ok(validate(result.structuredContent), `${name}: ${ajv.errorsText(validate.errors)}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  };
}

function checkDrawing(known: Known, checked: Checked, result: ScriptResult): void {
  const { bytes, mime_type, link } = checked('get_drawing', result);
  const image = result.content.find(({ type }: ScriptResult) => type === 'image');
  const decoded = Buffer.from(image.data, 'base64');
  assert.deepEqual([decoded.length, mime_type, image.mimeType], [bytes, 'image/webp', 'image/webp']);
  assert.equal(decoded.toString('latin1', 8, 12), 'WEBP');
  const resource = result.content.find(({ type }: ScriptResult) => type === 'resource_link');
  const path = `${known.drawing!.publication_id}/${known.drawing!.filename}`;
  if (known.served) {
    assert.equal(resource.uri, link);
    assert.ok(link.endsWith(`/api/v1/drawings/${path}`), link);
  } else assert.equal(resource.uri, `drawing://${path}`);
}
