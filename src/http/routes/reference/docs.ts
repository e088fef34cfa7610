/** GET /docs: the reference page, with its script and style. All files are part of this package. */
import { readFileSync } from 'node:fs';
import type { Operation } from '../../openapi/operation.js';
import { packageVersion } from '../../package-version.js';
import type { Route } from '../../route.js';
import { pageOperation } from './openapi.js';
import { docsPage } from './page.js';

/** No content from other origins, no inline scripts, no use in a frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self' https: http:",
  'img-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The browser's files are not compiled. They are in the source folder. */
function sourceFile(name: string): string {
  return readFileSync(new URL(`../../../../../src/http/routes/reference/${name}`, import.meta.url), 'utf8');
}

function file(path: string, type: string, read: () => string, operation?: Operation): Route {
  let body: string | undefined;
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, no-cache',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  return {
    method: 'GET',
    path,
    endpoint: 'docs',
    access: 'public',
    ...(operation ? { operation } : {}),
    handle() {
      body ??= read();
      return { status: 200, headers, body };
    },
  };
}

/** @param routes the endpoints that the page describes */
export function docs(routes: () => readonly Route[]): Route[] {
  return [
    file('/docs', 'text/html', () => docsPage(routes(), packageVersion()), pageOperation),
    file('/docs/try-it.js', 'text/javascript', () => sourceFile('try-it.js')),
    file('/docs/style.css', 'text/css', () => sourceFile('style.css')),
  ];
}
