/** Which language a client prefers (RFC 9110, Accept-Language). */

/**
 * @param header such as `ko-KR,ko;q=0.9,en;q=0.8`
 * @param known codes of languages, such as `ko`
 * @returns the known language that the client prefers; undefined if it names none of them
 */
export function preferredLanguage(header: string | undefined, known: readonly string[]): string | undefined {
  const wanted = (header ?? '').split(',').map((entry) => {
    const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { code: tag.split('-')[0], weight: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
  return wanted
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .flatMap(({ code }) => known.find((one) => one === code) ?? [])[0];
}
