/** The five jurisdictions, in the order of the specification. */
export const COUNTRIES = ['US', 'KR', 'JP', 'CN', 'EP'] as const;

/** One of the five jurisdictions. */
export type Country = (typeof COUNTRIES)[number];

/** Whether a two-letter code names one of the five jurisdictions. */
export function isCountry(code: string): code is Country {
  return (COUNTRIES as readonly string[]).includes(code);
}
