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

/** A text without the user and the password of the addresses in it. */
export function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/@\s]*@/g, '//…@');
}
