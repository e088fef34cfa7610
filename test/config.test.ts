import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SETTINGS, type SettingName } from '../src/config.js';
import { isPriorartError } from '../src/errors.js';
import { HOST_DEFAULT, PORT_DEFAULT, REQUEST_DEADLINE_MS } from '../src/limits.js';
import { loadConfig } from '../src/load-config.js';

const EXPECTED = 'expected a JSON object of settings, such as {"port": 8080}';

describe('settings', () => {
  it('the defaults of the limits apply without settings', () => {
    const config = loadConfig({ env: {} });
    assert.deepEqual(
      [config.host, config.port, config.deadlineMs, config.httpAdapter, config.data],
      [HOST_DEFAULT, PORT_DEFAULT, REQUEST_DEADLINE_MS, 'auto', '.priorart'],
    );
    assert.ok(config.workers >= 1);
  });

  it('a flag takes precedence over the environment, and the environment over the default', () => {
    const env = { PRIORART_PORT: '9000', PRIORART_HOST: '0.0.0.0', OTHER: 'x' };
    const config = loadConfig({ env, flags: { port: '9001', host: undefined } });
    assert.deepEqual([config.port, config.host], [9001, '0.0.0.0']);
  });

  it('an invalid value is refused with its origin and the expected form', () => {
    const cases: [SettingName, string, string][] = [
      ['port', '65536', '0 to 65535'],
      ['port', '80a', '0 to 65535'],
      ['port', '', '0 to 65535'],
      ['port', '-1', '0 to 65535'],
      ['port', '1e3', '0 to 65535'],
      ['workers', '0', '1 to'],
      ['httpAdapter', 'UWS', 'auto, uws, node'],
      ['logLevel', 'verbose', 'debug'],
      ['data', ' ', 'a text'],
      ['publicUrl', 'example.com', 'an address such as https://'],
      ['publicUrl', 'ftp://example.com', 'an address such as https://'],
      ['publicUrl', 'https://example.com/?a=b', 'an address such as https://'],
      ['oauthJwks', 'login.example.com/jwks', 'an address such as https://'],
      ['oauthScope', ' ', 'scopes such as'],
      ['oauthScope', 'patents:lés', 'scopes such as'],
      ['oauthScope', 'patents:read "count"', 'scopes such as'],
    ];
    for (const [name, value, expected] of cases) {
      const fails = (source: string) => (error: unknown) =>
        isPriorartError(error) &&
        error.code === 'usage' &&
        [source, JSON.stringify(value), expected].every((word) => error.message.includes(word));
      const flag = SETTINGS[name].flag.split(' ')[0]!;
      assert.throws(() => loadConfig({ env: { [SETTINGS[name].env]: value } }), fails(SETTINGS[name].env));
      assert.throws(() => loadConfig({ env: {}, flags: { [name]: value } }), fails(flag));
    }
  });

  it('the address of keys is used as it is written', () => {
    for (const url of ['https://t.example.com/keys?p=sign_in', 'https://example.com/jwks/'])
      assert.equal(loadConfig({ env: { PRIORART_OAUTH_JWKS: url } }).oauthJwks, url);
  });

  it('a refused address is shown without its password', () => {
    const names = ['PRIORART_OPENSEARCH_NODES', 'PRIORART_PUBLIC_URL'];
    for (const password of ['s3cret', 's3/cret', 's3@cret']) {
      for (const name of names) {
        const load = () => loadConfig({ env: { [name]: `https://admin:${password}@node-1:9200` } });
        assert.throws(load, /got "https:\/\/…@node-1:9200"; expected/);
      }
    }
  });

  it('scopes are a list without repetitions, with one blank between two', () => {
    const { oauthScope } = loadConfig({
      env: { PRIORART_OAUTH_SCOPE: ' patents:read  a!#[]~ patents:read ' },
    });
    assert.equal(oauthScope, 'patents:read a!#[]~');
  });

  it('only the settings that are wanted are checked', () => {
    const env = { PRIORART_PORT: 'abc', PRIORART_DATA: 'there', PRIORART_WORKERS: '' };
    const config = loadConfig({ env, flags: { workers: 'many' }, only: ['data', 'models'] });
    assert.deepEqual([config.data, config.port], ['there', SETTINGS.port.default]);
    assert.throws(() => loadConfig({ env, only: ['port'] }), /PRIORART_PORT/);
  });

  it('the public address loses its trailing slash', () => {
    const at = (value: string) => loadConfig({ env: { PRIORART_PUBLIC_URL: value } }).publicUrl;
    assert.equal(at('https://example.com/'), 'https://example.com');
    assert.equal(at('http://example.com:8080/patents//'), 'http://example.com:8080/patents');
    assert.equal(loadConfig({ env: {} }).publicUrl, undefined);
  });

  it('a settings file has less precedence than environment and flags', (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-settings-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'settings.json');
    const write = (text: string) => writeFileSync(file, text);
    write('{"port": 9000, "host": "0.0.0.0", "log-level": "warn", "data": "there"}');
    const env = { PRIORART_SETTINGS: file, PRIORART_HOST: '::1' };
    const config = loadConfig({ env, flags: { data: 'here' } });
    assert.deepEqual([config.port, config.host, config.logLevel, config.data], [9000, '::1', 'warn', 'here']);
    for (const [text, expected] of [
      ['{"prot": 1}', 'has an unknown setting "prot"; did you mean port?'],
      [
        '{"zzzzzzzz": 1}',
        'has an unknown setting "zzzzzzzz"; expected names of flags without the dashes, such as port',
      ],
      ['{"port": true}', 'has true as port; expected a text or a number'],
      ['[]', `holds no JSON object; ${EXPECTED}`],
      ['', `is not JSON; ${EXPECTED}`],
      [' '.repeat(1 << 17), `has more than 65536 bytes; ${EXPECTED}`],
    ] as const) {
      write(text);
      const message = `the settings file ${file} ${expected}`;
      assert.throws(() => loadConfig({ env }), { code: 'usage', message }, text);
    }
    for (const [text, message] of [
      [
        '{"port": 99999}',
        /^the settings file .*settings\.json, port: got "99999"; expected an integer from 0 to 65535$/,
      ],
      // Not every version of Node says where.
      [
        '{"port": ?}',
        /^the settings file .*settings\.json is not JSON( from character 10 on)?; expected a JSON object/,
      ],
    ] as const) {
      write(text);
      assert.throws(() => loadConfig({ env }), { code: 'usage', message }, text);
    }
    for (const [settings, why] of [
      [join(dir, 'absent.json'), 'does not exist'],
      [dir, 'is a folder'],
      [join(file, 'below'), 'does not exist: a part of its path is a file'],
    ] as const) {
      const message = `the settings file ${settings} ${why}; ${EXPECTED}`;
      assert.throws(() => loadConfig({ env: {}, flags: { settings } }), { code: 'usage', message });
    }
  });

  it('each setting has a variable and a flag', () => {
    const all = Object.values(SETTINGS);
    assert.equal(new Set(all.map(({ env }) => env)).size, all.length);
    assert.equal(new Set(all.map(({ flag }) => flag.split(' ')[0])).size, all.length);
    for (const { env, flag } of all) {
      assert.match(env, /^PRIORART_[A-Z0-9_]+$/);
      assert.match(flag, /^--[a-z0-9-]+ <[a-z]+>$/);
    }
  });
});
