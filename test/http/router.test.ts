import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonReply, type Route } from '../../src/http/route.js';
import { Router } from '../../src/http/router.js';

const route = (method: 'GET' | 'POST', path: string): Route => ({
  method,
  path,
  endpoint: 'test',
  access: 'public',
  handle: () => jsonReply('{}'),
});

const fixed = route('GET', '/a/b');
const posted = route('POST', '/a/b');
const drawing = route('GET', '/drawings/{publication_id}/{filename}');
const router = new Router([fixed, posted, drawing]);

function found(method: string, path: string) {
  const match = router.find(method, path);
  assert.ok('route' in match, `${method} ${path} was not found`);
  return match;
}

function refused(method: string, path: string) {
  const match = router.find(method, path);
  assert.ok('error' in match, `${method} ${path} was found`);
  return { status: match.error.status, allow: match.allow };
}

describe('router', () => {
  it('finds a route by method and exact path; HEAD is GET', () => {
    assert.equal(found('GET', '/a/b').route, fixed);
    assert.equal(found('HEAD', '/a/b').route, fixed);
    assert.equal(found('POST', '/a/b').route, posted);
  });

  it('returns the decoded parameters of a path', () => {
    const match = found('GET', '/drawings/KR1020200104349A/%EB%8F%84%201.webp');
    assert.equal(match.route, drawing);
    assert.deepEqual(match.parameters, { publication_id: 'KR1020200104349A', filename: '도 1.webp' });
    // An encoded slash is part of the name. The endpoint decides what it means.
    assert.equal(found('GET', '/drawings/x/..%2Fy').parameters['filename'], '../y');
  });

  it('returns 404 for other paths and 405 with Allow for other methods', () => {
    for (const path of [
      '',
      '/',
      '/a',
      '/a/b/',
      '/a/b/c',
      '/A/b',
      '/drawings/x',
      '/drawings//y',
      '/drawings/x/',
      '/drawings/%/y',
    ]) {
      assert.deepEqual(refused('GET', path), { status: 404, allow: undefined }, path);
    }
    assert.deepEqual(refused('DELETE', '/a/b'), { status: 405, allow: 'GET, HEAD, POST' });
    assert.deepEqual(refused('get', '/a/b'), { status: 405, allow: 'GET, HEAD, POST' });
    assert.deepEqual(refused('POST', '/drawings/x/y'), { status: 405, allow: 'GET, HEAD' });
  });
});
