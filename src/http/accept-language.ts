/** Which language a client prefers (RFC 9110, Accept-Language). */
import { preferencesIn } from './preferences.js';

/**
 * @param header such as `ko-KR,ko;q=0.9,en;q=0.8`
 * @param known codes of languages, such as `ko`
 * @returns the known language that the client prefers; undefined if it names none of them
 */
export function preferredLanguage(header: string | undefined, known: readonly string[]): string | undefined {
  return preferencesIn(header ?? '')
    .sort((a, b) => b.quality - a.quality)
    .flatMap(({ value }) => known.find((code) => code === value.split('-')[0]) ?? [])[0];
}
