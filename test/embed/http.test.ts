/** The HTTP embedder against local servers of both protocols, with correct, wrong, late and missing answers. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { type HttpEmbedderConfig, httpEmbedderSchema } from '../../src/embed/http/config.js';
import { openHttpEmbedder } from '../../src/embed/http/embedder.js';
import { partsOf } from '../../src/embed/http/windows.js';
import { isPriorartError } from '../../src/errors.js';
import fc from '../property.js';
import { until } from '../until.js';

const DIMENSIONS = 8;
const KEY = 'sk-very-secret-0123456789';

/** A vector that depends only on the text; its length is not 1. */
function vectorOf(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (let n = 0; n < text.length; n++) vector[(text.charCodeAt(n) + n) % DIMENSIONS]! += 1 + (n % 3);
  return vector;
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}

const bytesOf = (vector: readonly number[]) => Buffer.from(new Uint8Array(Float32Array.from(vector).buffer));

interface Seen {
  body: { input?: string[]; inputs?: string[]; model?: string; encoding_format?: string; truncate?: boolean };
  headers: IncomingMessage['headers'];
}

type Handler = (request: Seen, response: ServerResponse, n: number) => void;

/** The answer of OpenAI's server, in reverse order. */
const openai: Handler = ({ body }, response) => {
  const data = body.input!.map((text, index) => {
    const vector = vectorOf(text);
    const embedding = body.encoding_format === 'base64' ? bytesOf(vector).toString('base64') : vector;
    return { object: 'embedding', index, embedding };
  });
  response.end(JSON.stringify({ object: 'list', data: data.reverse(), model: body.model }));
};

/** The answer of text-embeddings-inference. */
const tei: Handler = ({ body }, response) => {
  response.end(JSON.stringify(body.inputs!.map((text) => unit(vectorOf(text)))));
};

const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Handler =>
  (_request, response) => {
    response.writeHead(code, headers).end(body);
  };

describe('the HTTP embedder', () => {
  let handler: Handler = openai;
  let seen: Seen[] = [];
  let open = 0;
  let mostOpen = 0;
  let url: string;
  const server = createServer((request, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry = { body: JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers } as Seen;
      seen.push(entry);
      handler(entry, response, seen.length);
    });
  });
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  afterEach(() => {
    [handler, seen, open, mostOpen] = [openai, [], 0, 0];
  });

  const embedder = (more: Partial<HttpEmbedderConfig> = {}) => {
    const protocol = more.protocol ?? 'openai';
    const path = protocol === 'openai' ? '/v1/embeddings' : '/embed';
    const config = { kind: 'http', protocol, url: url + path, dimensions: DIMENSIONS, model: 'm', ...more };
    return openHttpEmbedder(httpEmbedderSchema.parse(config));
  };
  const near = (got: ArrayLike<number>, wanted: readonly number[]) => {
    assert.equal(got.length, wanted.length);
    for (const [d, x] of Array.from(got).entries()) {
      assert.ok(Math.abs(x - wanted[d]!) < 1e-6, `${x} is not ${wanted[d]}`);
    }
  };
  const failure = async (promise: Promise<unknown> | unknown, code: string, message: RegExp) => {
    await assert.rejects(Promise.resolve(promise), (error) => {
      assert.ok(isPriorartError(error), String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      return true;
    });
  };

  for (const [name, more, answer] of [
    ['openai, float', {}, openai],
    ['openai, base64', { encoding: 'base64' }, openai],
    ['tei', { protocol: 'tei' }, tei],
  ] as const) {
    it(`returns for every text its vector, of length 1 (${name})`, async () => {
      handler = answer;
      const model = embedder({ ...more, batchTexts: 3 });
      const texts = ['고체 전해질', 'a', 'solid electrolyte', '', '固体電解質', ' \n', 'x y z'];
      const vectors = await model.embed(texts, 'passage');
      texts.forEach((text, n) => {
        const row = vectors.subarray(n * DIMENSIONS, (n + 1) * DIMENSIONS);
        if (text.trim() === '') assert.ok(row.every((x) => x === 0));
        else near(row, unit(vectorOf(text)));
      });
      const sent = seen.flatMap(({ body }) => body.input ?? body.inputs ?? []);
      assert.deepEqual(sent.toSorted(), texts.filter((text) => text.trim() !== '').toSorted());
      assert.ok(seen.every(({ body }) => (body.input ?? body.inputs)!.length <= 3));
      if (more.protocol === 'tei') assert.ok(seen.every(({ body }) => body.truncate === false));
      else assert.ok(seen.every(({ body }) => body.model === 'm'));
    });
  }

  it('fills templates, averages the parts of long texts, and truncates', async () => {
    const model = embedder({
      query: '{task}: {text}',
      document: '{title} | {text}',
      task: 'find',
      emptyTitle: 'none',
      windowChars: 100,
      truncatedDimensions: 4,
    });
    assert.equal(model.dimensions, 4);
    await model.embed(['question'], 'query');
    await model.embed(['passage'], 'passage', 'Title\n제목');
    await model.embed(['passage'], 'passage');
    assert.deepEqual(
      seen.map(({ body }) => body.input![0]),
      ['find: question', 'Title | passage', 'none | passage'],
    );
    const long = 'word '.repeat(50).trim();
    const got = await model.embed([long], 'query');
    const parts = seen.at(-1)!.body.input!.map((input) => input.slice('find: '.length));
    assert.deepEqual([parts.length, parts.join('')], [3, long]);
    const sum = [0, 0, 0, 0];
    for (const part of parts) {
      const vector = unit(vectorOf(`find: ${part}`).slice(0, 4));
      for (let d = 0; d < 4; d++) sum[d]! += vector[d]! * part.length;
    }
    near(got, unit(sum));
  });

  it('cuts a text into parts of limited length that together are the text, and never splits a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 2, max: 40 }),
        (text, most) => {
          const parts = partsOf(text, most);
          assert.ok(
            parts.every((part) => part.length <= most && part.trim() !== ''),
            `expected parts of 1 to ${most} characters: ${JSON.stringify(parts)}`,
          );
          const broken = (part: string) => /\p{Surrogate}/u.test(part);
          assert.ok(
            broken(text) || !parts.some(broken),
            `expected no cut within a character: ${JSON.stringify(parts)}`,
          );
          // Only parts of spaces are omitted.
          assert.equal(parts.join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
        },
      ),
    );
  });

  it('combines texts of several calls into one request, bounded in texts, characters and requests', async () => {
    handler = (request, response) => setTimeout(() => openai(request, response, 0), 20);
    const model = embedder({ batchTexts: 10, batchChars: 100, concurrency: 2 });
    const texts = Array.from({ length: 60 }, (_, n) => `text ${n} ${'x'.repeat(n % 13)}`);
    const vectors = await Promise.all(texts.map((text) => model.embed([text], 'passage')));
    for (const [n, vector] of vectors.entries()) near(vector, unit(vectorOf(texts[n]!)));
    assert.ok(seen.length < 20, `${seen.length} questions for 60 texts`);
    assert.ok(seen.every(({ body }) => body.input!.length <= 10 && body.input!.join('').length <= 100));
    assert.equal(mostOpen, 2);
  });

  it('one text that the server refuses does not fail the texts of other callers', async () => {
    handler = (request, response, n) =>
      (request.body.input!.includes('refused') ? status(413) : openai)(request, response, n);
    const model = embedder();
    const asked = ['refused', 'a lid'].map((text) => Promise.resolve(model.embed([text], 'query')));
    const [bad, good] = await Promise.allSettled(asked);
    assert.deepEqual([bad!.status, good!.status], ['rejected', 'fulfilled']);
    assert.deepEqual(
      seen.map(({ body }) => body.input),
      [['refused', 'a lid'], ['refused'], ['a lid']],
    );
  });

  it('sends queries before waiting passages', async () => {
    handler = (request, response) => setTimeout(() => openai(request, response, 0), 20);
    const model = embedder({ batchTexts: 1, concurrency: 1 });
    const passages = ['a', 'b', 'c'].map((text) => model.embed([text], 'passage'));
    await until(() => seen.length === 1, 'the first passage is requested');
    await Promise.all([...passages, model.embed(['question'], 'query')]);
    assert.deepEqual(
      seen.map(({ body }) => body.input![0]),
      ['a', 'question', 'b', 'c'],
    );
  });

  it('retries after 429, 5xx, a broken connection and a truncated answer', async () => {
    const troubles: Handler[] = [
      status(429, { 'retry-after': '1' }),
      status(503),
      (_request, response) => response.destroy(),
      (_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"data": [');
        setTimeout(() => response.destroy(), 5);
      },
    ];
    handler = (request, response, n) => (troubles[n - 1] ?? openai)(request, response, n);
    const started = performance.now();
    near(await embedder().embed(['text'], 'query'), unit(vectorOf('text')));
    assert.equal(seen.length, 5);
    assert.ok(performance.now() - started > 995, 'the delay is that of Retry-After');
  });

  it('stops after a number of retries, and returns Retry-After', async () => {
    handler = status(500, {}, 'out of memory');
    await failure(
      embedder().embed(['text'], 'query'),
      'unavailable',
      /127\.0\.0\.1:\d+ answered 500: out of memory/,
    );
    assert.equal(seen.length, 5);
    seen = [];
    handler = status(429, { 'retry-after': '3600' });
    await assert.rejects(Promise.resolve(embedder().embed(['text'], 'query')), {
      code: 'unavailable',
      retryAfter: 3600,
    });
    assert.equal(seen.length, 1, 'a delay of an hour is an error at once');
    const nowhere = embedder({ url: 'http://127.0.0.1:1/v1/embeddings' });
    await failure(nowhere.embed(['text'], 'query'), 'unavailable', /cannot be reached/);
  });

  it('waits at most for the time-out, and stops if all its callers cancel', async () => {
    const ended: string[] = [];
    handler = (_request, response) => response.on('close', () => ended.push('closed'));
    const slow = embedder({ timeoutMs: 100 });
    await failure(slow.embed(['text'], 'query'), 'unavailable', /did not answer within 100 ms/);
    const controller = new AbortController();
    const model = embedder({ concurrency: 1 });
    const asked = [
      model.embed(['one'], 'passage', undefined, controller.signal),
      model.embed(['two'], 'passage', undefined, controller.signal),
    ];
    await until(() => seen.length === 6, 'the server gets one more request after five failures');
    const waiting = model.embed(['three'], 'passage', undefined, controller.signal);
    const all = Promise.allSettled([...asked, waiting]);
    controller.abort(new Error('gone'));
    await all;
    for (const promise of asked) await assert.rejects(Promise.resolve(promise), /gone/);
    handler = openai;
    near(await model.embed(['four'], 'query'), unit(vectorOf('four')));
    await assert.rejects(Promise.resolve(waiting), /gone/);
    await until(() => ended.length === 6, 'connections are closed');
  });

  it('refuses wrong answers', async () => {
    const row = vectorOf('x');
    const say = (value: unknown): Handler => status(200, {}, JSON.stringify(value));
    const cases: [Handler, string, RegExp][] = [
      [say({ data: [{ index: 0, embedding: row }] }), 'embedding_failed', /1 vectors for 2 texts/],
      [
        say({ data: [0, 0].map((index) => ({ index, embedding: row })) }),
        'embedding_failed',
        /index 0 among 2/,
      ],
      [
        say({ data: [0, 2].map((index) => ({ index, embedding: row })) }),
        'embedding_failed',
        /index 2 among 2/,
      ],
      [
        say({ data: [{ embedding: row }, { embedding: [1, 2] }] }),
        'invalid_models',
        /2 dimensions, configured are 8/,
      ],
      [
        say({ data: [{ embedding: row }, { embedding: 'AAA=' }] }),
        'embedding_failed',
        /not a list of numbers/,
      ],
      [
        say({ data: [{ embedding: row }, { embedding: ['a'] }] }),
        'embedding_failed',
        /not a list of numbers/,
      ],
      [say({ error: 'no' }), 'embedding_failed', /no "data"/],
      [say(null), 'embedding_failed', /no "data"/],
      [status(400, {}, '{"error":"bad model"}'), 'embedding_failed', /400: .*bad model/],
      [status(413), 'embedding_failed', /413; set "windowChars"/],
      [
        status(422, {}, 'must have less than 512 tokens'),
        'embedding_failed',
        /512 tokens; set "windowChars"/,
      ],
      [status(401), 'invalid_models', /401; set "keyVariable"/],
      [status(200, {}, 'x'.repeat(3 << 20)), 'embedding_failed', /more than \d+ bytes/],
    ];
    for (const [answer, code, message] of cases) {
      handler = answer;
      seen = [];
      await failure(embedder().embed(['a', 'b'], 'passage'), code, message);
      assert.equal(seen.length, 1, `${message} is not retried`);
    }
    handler = say([row]);
    await failure(
      embedder({ protocol: 'tei' }).embed(['a', 'b'], 'passage'),
      'embedding_failed',
      /1 vectors for 2/,
    );
    const infinite = Buffer.from(new Uint8Array(Float32Array.from(row, () => Infinity).buffer)).toString(
      'base64',
    );
    handler = say({ data: [{ index: 0, embedding: infinite }] });
    await failure(embedder().embed(['a'], 'query'), 'embedding_failed', /not a finite number/);
  });

  it('follows no redirect, so that key and texts stay with the configured host', async () => {
    let elsewhere = 0;
    const other = createServer((_request, response) => {
      elsewhere += 1;
      response.end();
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/embeddings`;
    handler = status(307, { location: target });
    await failure(embedder().embed(['a'], 'query'), 'invalid_models', /redirects to .*set "url"/);
    assert.equal(elsewhere, 0);
    other.close();
  });

  it('reads the key from the named variable, sends it, and prints it nowhere', async () => {
    process.env['PRIORART_TEST_KEY'] = KEY;
    try {
      await embedder({ keyVariable: 'PRIORART_TEST_KEY' }).embed(['a'], 'query');
      await embedder({ keyVariable: 'PRIORART_TEST_KEY', keyHeader: 'api-key' }).embed(['a'], 'query');
      assert.equal(seen[0]!.headers.authorization, `Bearer ${KEY}`);
      assert.deepEqual([seen[1]!.headers['api-key'], seen[1]!.headers.authorization], [KEY, undefined]);
      handler = status(403, {}, `key ${KEY} is not known`);
      const refused = embedder({ keyVariable: 'PRIORART_TEST_KEY' });
      await assert.rejects(Promise.resolve(refused.embed(['a'], 'query')), (error: Error) => {
        const all = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        assert.ok(!all.includes(KEY), all);
        assert.match(error.message, /403: key \[key\] is not known; check the key in PRIORART_TEST_KEY/);
        return true;
      });
    } finally {
      delete process.env['PRIORART_TEST_KEY'];
    }
    assert.throws(() => embedder({ keyVariable: 'PRIORART_TEST_KEY' }), /PRIORART_TEST_KEY.* is not set/);
  });

  it('the identity changes with the vectors, not with the host', () => {
    const version = (more: Partial<HttpEmbedderConfig>) => embedder(more).version;
    assert.equal(
      version({}),
      version({ url: 'https://elsewhere/v1/embeddings', batchTexts: 5, timeoutMs: 1000 }),
    );
    for (const more of [
      { model: 'n' },
      { document: 'p: {text}' },
      { windowChars: 500 },
      { truncatedDimensions: 4 },
    ]) {
      assert.notEqual(version({}), version(more));
    }
    assert.deepEqual([embedder().name, embedder({ name: 'own', version: '3' }).version], ['m', '3']);
    assert.equal(httpEmbedderSchema.safeParse({ url: 'http://user:pw@host/' }).success, false);
  });
});
