/** Persons and companies of US documents before 2012, and the choice of the applicants. */
import type { Name } from '../../patent/record.js';
import { present, uniqueNames } from './publication.js';

/** `Reed, Ann B. Jr.`, in the form of red book names. */
export function personName(parts: {
  last: string | undefined;
  first?: string | undefined;
  middle?: string | undefined;
  suffix?: string | undefined;
}): string | undefined {
  const first = [parts.first, parts.middle].filter(Boolean).join(' ');
  const name = [parts.last, first].filter(Boolean).join(', ');
  return [name, parts.suffix].filter(Boolean).join(' ') || undefined;
}

/**
 * Under the law before September 2012 only inventors could apply and the company was the assignee. A search
 * for the patents of a company includes both.
 */
export function partyFields(parties: {
  applicants?: (string | undefined)[];
  assignees: (string | undefined)[];
  inventors: (string | undefined)[];
}): { applicants?: Name[]; inventors?: Name[] } {
  const inventors = uniqueNames(parties.inventors);
  const isInventor = (name: string | undefined): boolean => inventors.some((other) => other.name === name);
  const others = uniqueNames((parties.applicants ?? []).filter((name) => !isInventor(name)));
  const assignees = uniqueNames(parties.assignees);
  const applicants = [others, assignees, inventors].find((names) => names.length > 0);
  return present({ applicants, inventors });
}
