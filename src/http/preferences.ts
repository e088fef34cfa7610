/** What a client prefers, from a header such as Accept-Language or Accept-Encoding (RFC 9110, section 12.4.2). */

export interface Preference {
  /** In lower case. */
  value: string;
  /** Above 0; 1 if the header states none. */
  quality: number;
}

/** The values of a header in its order, without those that the client refuses. @param header such as `ko-KR,ko;q=0.9,en;q=0.8` */
export function preferencesIn(header: string): Preference[] {
  return header
    .split(',')
    .map((entry) => {
      const [value = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
      const stated = parameters.find((parameter) => parameter.startsWith('q='));
      return { value, quality: stated === undefined ? 1 : Number(stated.slice(2)) };
    })
    .filter(({ quality }) => quality > 0);
}
