/**
 * The Range header. One range of bytes is served; of several, in other units or misspelt, the header is passed over
 * and the whole is sent, which is allowed.
 * Source: RFC 9110, section 14.
 */

/** First and last byte, inclusive; `beyond` where no byte of it is there; undefined where all is to be sent. */
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
