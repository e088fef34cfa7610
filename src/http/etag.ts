/** Answers with an entity tag: 304 to whoever has them already. */
import type { TaggedBody } from '../search/types.js';
import type { HttpReply, HttpRequest } from './adapters/adapter.js';

/** The JSON body with its tag, or 304 where If-None-Match names the tag. */
export function etagReply(request: HttpRequest, { json, etag }: TaggedBody, cacheControl: string): HttpReply {
  const headers = { etag, 'cache-control': cacheControl };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' };
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: json };
}

/**
 * Whether a list of entity tags holds one, by weak comparison.
 * Source: RFC 9110, sections 8.8.3.2 and 13.1.2.
 */
export function matches(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false;
  if (list.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === opaque(etag));
}
