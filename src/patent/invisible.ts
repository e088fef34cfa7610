/** Soft hyphens, joiners and byte order marks. Copied texts hold them within words and numbers, and they are not shown. */
const INVISIBLE = /\u00ad|\u200c|\u200d|\u2060|\ufeff/g;

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}
