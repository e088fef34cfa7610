/** The length of those texts of a record by which stores find it. Their keys have a limit. */
import { KEY_MAX_CHARS } from '../limits.js';
import type { Patent } from '../patent/record.js';

/** Says which text of a record is too long for the key of a store; undefined if all fit. */
export function tooLongKey(patent: Patent): string | undefined {
  const { patent_id, number, application_number, family_id, corrects = [] } = patent;
  const keys = Object.entries({ patent_id, number, application_number, family_id });
  const found = [...keys, ...corrects.map((id) => ['corrects', id] as const)].find(
    ([, text]) => text !== undefined && text.length > KEY_MAX_CHARS,
  );
  if (found === undefined) return undefined;
  const [name, text = ''] = found;
  const fault = `${name} has ${text.length} characters; at most ${KEY_MAX_CHARS} can be stored`;
  return name === 'patent_id' ? fault : `${patent_id.slice(0, KEY_MAX_CHARS)}: ${fault}`;
}
