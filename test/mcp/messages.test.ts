/** Messages that the protocol's library does not answer, or not clearly; arguments of prompts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPriorartError } from '../../src/errors.js';
import { MCP_LINE_MAX_BYTES, QUERY_MAX_CHARS } from '../../src/limits.js';
import { promptText } from '../../src/mcp/prompts.js';
import { CheckedLines } from '../../src/mcp/stdio-lines.js';

interface Answer {
  id: unknown;
  error: { code: number; message: string };
}

/** What a server over standard input reads of some bytes, and what is answered before. */
function through(chunks: readonly (string | Buffer)[]): { lines: string[]; answers: Answer[] } {
  const answers: Answer[] = [];
  const checked = new CheckedLines((line) => answers.push(JSON.parse(line)));
  for (const chunk of chunks) checked.write(Buffer.from(chunk));
  let text = '';
  // Since Node 26, each call reads a piece.
  for (let piece: Buffer | null = checked.read(); piece; piece = checked.read()) text += piece.toString();
  return { lines: text.split('\n').filter(Boolean), answers };
}

describe('lines of standard input', () => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

  it('pass on if they are messages, in whatever pieces they come', () => {
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const call = '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"검색","arguments":{}}}';
    const response = '{"jsonrpc":"2.0","id":2,"result":{}}';
    const refusal = '{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}';
    const sent = [ping, notification, call, response, refusal];
    const bytes = Buffer.from(`${sent.join('\r\n')}\n\n`);
    for (const size of [1, 7, 1_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      assert.deepEqual(through(pieces), { lines: sent, answers: [] });
    }
  });

  it('are answered if they are none', () => {
    const wrong: [string, number, unknown][] = [
      ['not json', -32700, null],
      ['[]', -32600, null],
      [`[${ping},${ping}]`, -32600, null],
      ['5', -32600, null],
      ['{"jsonrpc":"1.0","id":901,"method":"ping"}', -32600, 901],
      ['{"jsonrpc":"2.0","id":902}', -32600, 902],
      ['{"jsonrpc":"2.0","id":903,"method":5}', -32600, 903],
      ['{"jsonrpc":"2.0","id":"x","method":"tools/call","params":[1]}', -32600, 'x'],
      // Almost messages, which the protocol's library drops.
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 1.5],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
      ['{"jsonrpc":"2.0","id":904,"method":"ping","extra":1}', -32600, 904],
      ['{"jsonrpc":"2.0","id":905,"method":"ping","params":{"_meta":5}}', -32600, 905],
      ['{"jsonrpc":"2.0","id":906,"method":"ping","result":{}}', -32600, 906],
      [
        '{"jsonrpc":"2.0","id":907,"method":"tools/call","params":{"name":"search","_meta":{"progressToken":{}}}}',
        -32600,
        907,
      ],
      // The id of a response is one of another request.
      ['{"jsonrpc":"2.0","id":908,"result":5}', -32600, null],
      ['{"jsonrpc":"2.0","id":909,"error":{}}', -32600, null],
      ['{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":5}}', -32602, 4],
      ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}', -32602, 5],
      ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"search","arguments":[]}}', -32602, 6],
      [
        '{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"landscape","arguments":{"subject":5}}}',
        -32602,
        7,
      ],
    ];
    for (const [line, code, id] of wrong) {
      const { lines, answers } = through([`${line}\n${ping}\n`]);
      assert.deepEqual(lines, [ping], line);
      assert.deepEqual(
        answers.map((answer) => [answer.error.code, answer.id]),
        [[code, id]],
        line,
      );
    }
  });

  it('are refused above the limit, and the next one is read', () => {
    const filler = 'x'.repeat(MCP_LINE_MAX_BYTES);
    const { lines, answers } = through([filler, filler, `${filler}\n${ping}\n`]);
    assert.deepEqual(lines, [ping]);
    assert.equal(answers.length, 1);
    assert.equal(answers[0]!.error.code, -32600);
    assert.match(answers[0]!.error.message, /12,582,912 bytes; expected at most 4,194,304/);
  });
});

describe('arguments of prompts', () => {
  it('are normalised', () => {
    const landscape = promptText('landscape', { subject: 'drones', countries: ' us, kr,' }).text;
    assert.match(landscape, /countries \["US","KR"\]/);
    const comparison = promptText('claim_comparison', { claim: 'A pump.', patents: 'US1,,KR2 ' }).text;
    assert.match(comparison, /Read US1, KR2 with get_patents/);
    assert.match(promptText('prior_art_search', { invention: 'x', as_of: '' }).text, /the whole idea,/);
  });

  it('are refused if they are wrong, with what is expected', () => {
    const wrong: [string, Record<string, string>, RegExp][] = [
      [
        'landscape',
        { subject: 'x', countries: 'Germany' },
        /countries: got "Germany"; expected offices of US/,
      ],
      ['claim_comparison', { claim: 'x', patents: ',,' }, /patents: got ",,"; expected publication numbers/],
      ['prior_art_search', { invention: 'x', as_of: '2020-02-30' }, /as_of/],
      ['prior_art_search', { invention: 'x', as_of: 'nonsense' }, /as_of: got "nonsense"; expected a day/],
      ['prior_art_search', { invention: ' ' }, /invention: missing/],
      ['prior_art_search', { invention: 'x'.repeat(QUERY_MAX_CHARS + 1) }, /at most 10,000 characters/],
      [
        'landscape',
        { subject: 'x', country: 'US' },
        /unknown argument "country"; expected subject, countries/,
      ],
    ];
    for (const [name, given, expected] of wrong) {
      assert.throws(
        () => promptText(name, given),
        (error) => isPriorartError(error) && error.status < 500 && expected.test(error.message),
        JSON.stringify(given).slice(0, 80),
      );
    }
  });
});
