/** Answers with an entity tag: 304 to clients that have the current version. */
import type { TaggedBody } from '../search/types.js';
import type { HttpReply, HttpRequest } from './adapters/adapter.js';

/** The JSON body with its tag, or 304 if If-None-Match has the tag. */
export function etagReply(request: HttpRequest, { json, etag }: TaggedBody, cacheControl: string): HttpReply {
  const headers = { etag, 'cache-control': cacheControl };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' };
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: json };
}

/**
 * Whether a list of entity tags contains a tag, by weak comparison. Source: RFC 9110, sections 8.8.3.2 and
 * 13.1.2.
 */
export function matches(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false;
  if (list.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === opaque(etag));
}
