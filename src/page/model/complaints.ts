/** Which field of the form an error of the API speaks of. */
import { emptySearch } from './fields.js';

export interface Complaint {
  /** Field of the form; undefined if the message names none of them. */
  field: string | undefined;
  message: string;
}

const FIELDS = new Set(Object.keys(emptySearch()));

/**
 * @param detail `ipc_codes[0]: malformed code "ZZ"; expected …`. Several complaints are joined with ". ".
 */
export function complaintsOf(detail: string): Complaint[] {
  const found: Complaint[] = [];
  for (const part of detail.split('. ')) {
    const name = /^[a-z_]+/.exec(part)?.[0] ?? '';
    const isField = FIELDS.has(name) && /^[a-z_]+(?:\[\d+\])?: /.test(part);
    const last = found.at(-1);
    if (isField) found.push({ field: name, message: part.slice(part.indexOf(': ') + 2) });
    else if (last) last.message += `. ${part}`;
    else found.push({ field: undefined, message: part });
  }
  return found;
}
