/**
 * The Range header. One range of bytes is served. The header is ignored, and the whole file is sent, if the
 * header has several ranges, other units or invalid syntax. RFC 9110 allows this. Source: RFC 9110, section
 * 14.
 */

/**
 * First and last byte, inclusive; `beyond` if the range has no byte of the file; undefined if the whole file
 * is sent.
 */
export function byteRange(
  header: string | undefined,
  size: number,
): { from: number; to: number } | 'beyond' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'beyond' : { from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= size ? 'beyond' : { from, to };
}
