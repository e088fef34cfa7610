import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../src/observe/log.js';

function logged(
  level: string,
  write: (log: ReturnType<typeof createLog>) => void,
): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog(level, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

describe('log', () => {
  it('writes one JSON object a line with level, time and fields', () => {
    const [line] = logged('info', (log) => log.info({ status: 200 }, 'request'));
    assert.deepEqual(
      { ...line, time: undefined },
      { level: 'info', time: undefined, status: 200, msg: 'request' },
    );
    assert.match(String(line?.['time']), /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('drops lines below its level', () => {
    const lines = logged('warn', (log) => {
      log.info('no');
      log.warn('yes');
    });
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['yes'],
    );
  });

  it('removes secrets, even if code logs them', () => {
    const fields = {
      secret: 'hush',
      'x-api-key': 'hush',
      headers: { 'x-api-key': 'hush', authorization: 'hush' },
    };
    const lines = logged('info', (log) => log.info(fields, 'careless'));
    assert.equal(JSON.stringify(lines).includes('hush'), false);
  });

  it('writes an error with its stack', () => {
    const [line] = logged('info', (log) => log.error({ err: new TypeError('boom') }, 'failed'));
    const err = line?.['err'] as { type: string; stack: string };
    assert.equal(err.type, 'TypeError');
    assert.match(err.stack, /log\.test/);
  });
});
