/** Which pages may send requests with a session, and which hosts a server answers as. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RequestSource, type SourceConfig } from '../../src/http/request-source.js';

describe('the source of a request', () => {
  const accepts = (config: SourceConfig, host: string, origin?: string): boolean => {
    const headers = { host, ...(origin === undefined ? {} : { origin }) };
    try {
      new RequestSource(config).check({ headers });
      return true;
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'forbidden');
      return false;
    }
  };
  const everywhere = { host: '0.0.0.0' };

  it('accepts the page of the address that the request goes to', () => {
    assert.ok(accepts(everywhere, '192.0.2.2:8093', 'http://192.0.2.2:8093'));
    assert.ok(accepts(everywhere, '192.0.2.2', 'https://192.0.2.2'));
    assert.ok(accepts({ host: '::' }, '[2001:db8::2]:8093', 'http://[2001:db8::2]:8093'));
    assert.ok(accepts({ host: '192.0.2.2' }, '192.0.2.2:8093', 'http://192.0.2.2:8093'));
  });

  it('accepts the page of a name that the operator gave the server', () => {
    const named = { ...everywhere, mcpHosts: 'patents.example' };
    assert.ok(accepts(named, 'patents.example:8093', 'http://patents.example:8093'));
    assert.ok(accepts({ host: 'patents.example' }, 'patents.example', 'http://patents.example'));
    const outside = { ...everywhere, publicUrl: 'https://patents.example/search' };
    assert.ok(accepts(outside, 'patents.example', 'https://patents.example'));
  });

  it('refuses the page of another name, also if the name points to this server', () => {
    assert.ok(!accepts(everywhere, 'evil.example:8093', 'http://evil.example:8093'));
    assert.ok(!accepts(everywhere, '192.0.2.2:8093', 'http://evil.example:8093'));
    assert.ok(!accepts(everywhere, '192.0.2.2:8093', 'http://192.0.2.3:8093'));
    assert.ok(!accepts(everywhere, '192.0.2.2:8093', 'http://192.0.2.2:9000'));
    for (const origin of [
      'null',
      'http://',
      'http://192.0.2.2:8093.evil.example',
      'http://192.0.2.2:8093@evil.example',
    ])
      assert.ok(!accepts(everywhere, '192.0.2.2:8093', origin), origin);
  });

  it('accepts a request without an origin, and pages of this machine and of --cors-origins', () => {
    assert.ok(accepts(everywhere, '192.0.2.2:8093'));
    assert.ok(accepts(everywhere, '192.0.2.2:8093', 'http://localhost:3000'));
    const named = { ...everywhere, corsOrigins: 'https://app.example, https://other.example' };
    assert.ok(accepts(named, '192.0.2.2:8093', 'https://other.example'));
  });
});
