/** A value as a message shows it: as JSON, if it can be. */
export function writtenValue(value: unknown): string {
  // JSON has no NaN, no Infinity and no BigInt.
  if (typeof value === 'number') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // It holds itself, or a BigInt.
    return 'an object that cannot be written as JSON';
  }
}

/** A text without what may be the user and the password of an address in it, which may hold `/` and `@` if they are not encoded. */
export function withoutPassword(text: string): string {
  return text.replace(/\/\/[^\s"]*/g, (address) => {
    const at = address.lastIndexOf('@');
    return at < 0 ? address : `//…${address.slice(at)}`;
  });
}
