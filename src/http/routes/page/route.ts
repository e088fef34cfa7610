/** GET /: the web page for people, with its script, style and icon, which `npm run build` puts into dist/page. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { PriorartError } from '../../../errors.js';
import { preferredLanguage } from '../../accept-language.js';
import type { HttpReply } from '../../adapters/adapter.js';
import { matches } from '../../etag.js';
import type { Call, Route } from '../../route.js';

const FOLDER = new URL('../../../../page/', import.meta.url);
const INDEX = 'index.html';
/** As INDEX, with the part of a language that the first paint needs: `index.ko.html`. */
const INDEX_OF = /^index\.([a-z]+)\.html$/;
const isIndex = (name: string): boolean => name === INDEX || INDEX_OF.test(name);

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * No inline scripts or styles, no use in a frame, and no requests to other hosts.
 * @param images the origin of a bucket that serves the drawings; otherwise empty
 */
const policy = (images = '') =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' ${images}`.trim(),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A year. The names of these files change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

interface PageFile {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

let files: ReadonlyMap<string, PageFile> | undefined;

/** Reads the files at the first request. */
function pageFiles(): ReadonlyMap<string, PageFile> {
  if (!existsSync(FOLDER)) {
    throw new PriorartError('not_found', 'the web page is not built; `npm run build` builds it');
  }
  files ??= new Map(
    readdirSync(FOLDER)
      .filter((name) => !name.startsWith('.'))
      .map((name) => [name, pageFile(name)]),
  );
  return files;
}

function pageFile(name: string): PageFile {
  const body = readFileSync(new URL(name, FOLDER));
  const headers = {
    'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'cache-control': isIndex(name) ? 'no-cache' : FOR_EVER,
    ...(isIndex(name) ? { vary: 'Accept-Language' } : {}),
    etag: tagOf(body),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
  return { body, headers };
}

const tagOf = (content: Buffer | string): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

function answer({ request, services }: Call, name: string): HttpReply {
  const file = services.page ? pageFiles().get(name) : undefined;
  if (file === undefined) throw new PriorartError('not_found', 'there is no such endpoint');
  const images = isIndex(name) ? services.drawings?.linkOrigin() : undefined;
  const csp = policy(images);
  // The policy of a page depends on where its drawings are.
  const etag = images === undefined ? file.headers['etag']! : tagOf(`${file.headers['etag']} ${csp}`);
  const headers = { ...file.headers, etag, 'content-security-policy': csp };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' };
  return { status: 200, headers, body: file.body };
}

/** The page in the language that the browser asks for. The page itself decides by the visitor's choice, if there is one. */
function indexFor({ request, services }: Call): string {
  if (!services.page) return INDEX;
  const languages = [...pageFiles().keys()].flatMap((name) => INDEX_OF.exec(name)?.[1] ?? []);
  const language = preferredLanguage(request.headers['accept-language'], ['en', ...languages]);
  return language === undefined || language === 'en' ? INDEX : `index.${language}.html`;
}

/** The operator ends maintenance on the page, so its files are answered during maintenance, too. */
const FILE = { method: 'GET', endpoint: 'page', access: 'public', duringMaintenance: true } as const;

export const PAGE_ROUTES: readonly Route[] = [
  { ...FILE, path: '/', handle: (call) => answer(call, indexFor(call)) },
  { ...FILE, path: '/page/{file}', handle: (call) => answer(call, call.parameters['file'] ?? '') },
];
