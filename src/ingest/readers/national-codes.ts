/** Normalises classifications of single offices: USPC, FI and F-terms. */

/**
 * A USPC code of fixed columns: three for the class, three for the subclass, the rest after the decimal
 * point. `4353201` is 435/320.1, `D14387` is D14/387, `600300000` is 600/300.
 */
export function nationalClass(columns: string): string | undefined {
  const scheme = columns
    .slice(0, 3)
    .replace(/\s/g, '')
    .replace(/^0+(?=\d)/, '');
  const main = columns
    .slice(3, 6)
    .trim()
    .replace(/^0+(?=\d)/, '');
  const rest = columns.slice(6).trim();
  if (!/^[A-Z]{0,3}\d{0,3}$/.test(scheme) || scheme === '' || main === '') return undefined;
  // A form with three decimals: 000 means no decimals.
  const decimals = /^\d{3}$/.test(rest) ? rest.replace(/0{1,3}$/, '') : rest;
  return `${scheme}/${main}${/^\d/.test(decimals) ? '.' : ''}${decimals}`;
}

/** USPC codes of fixed columns, without duplicates. */
export function nationalClasses(columns: readonly string[]): string[] {
  return [...new Set(columns.flatMap((code) => nationalClass(code) ?? []))];
}

/** `E04D13/064,501A`, `4E04D13  /064@A`: an FI symbol. DOCDB puts the IPC edition before some symbols. */
export function fiCode(written: string): string {
  const text = written.normalize('NFKC').trim();
  const parts = /^\d?([A-H]\d{2}[A-Z])\s*(\d{1,4})\s*\/\s*(\d{1,6})(?!\d)/.exec(text);
  if (!parts) return text;
  const rest = text
    .slice(parts[0].length)
    .replace(/[\s,@]+/g, ' ')
    .trim();
  return `${parts[1]} ${parts[2]}/${parts[3]}${rest && ' '}${rest}`;
}

/** `2E108/AA01`: an F-term without the separator of some sources between theme and term. */
export function fTerm(written: string): string {
  return written
    .normalize('NFKC')
    .trim()
    .replace(/^(\d[A-Z]\d{3})[\s/]+(?=[A-Z]{2})/, '$1');
}
