/**
 * Random filters with their meaning. Each is drawn from a record of the collection, so that it has a match, and
 * includes a test whether a record matches, written from the specification.
 */
import { companyKey, isLegalForm, personKey } from '../../src/patent/name.js';
import type { Name, Patent } from '../../src/patent/record.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { dateOf, kindOf } from './truth.js';

export type Filters = Omit<SemanticRequest, 'query' | 'top_k'>;

export interface Filter {
  fields: Filters;
  matches(patent: Patent): boolean;
}

type Random = () => number;

export const DATE_TYPES = ['filing', 'publication', 'grant', 'priority'] as const;
const COUNTRIES = ['US', 'KR', 'JP', 'CN', 'EP'] as const;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const some = <T>(random: Random, from: readonly T[], most: number): T[] =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, from));

/** Both spellings of a name in a record. */
const spellings = (names: readonly Name[] | undefined): string[] =>
  (names ?? []).flatMap(({ name, name_en }) => (name_en ? [name, name_en] : [name]));

const full = (text: string): string =>
  text.replace(/[!-~]/g, (ascii) => String.fromCharCode(ascii.charCodeAt(0) + 0xfee0));

/** Equivalent spellings. */
const disguised = (random: Random, text: string): string =>
  pick(random, [text, text.toLowerCase(), text.toUpperCase(), full(text), `  ${text} `]);

function byCountry(random: Random): Filter {
  const countries = [...new Set(some(random, COUNTRIES, 3))];
  return { fields: { countries }, matches: (p) => countries.includes(p.country) };
}

/** Exactly one of these applies to every search. */
export function byKind(random: Random, patents: readonly Patent[]): Filter {
  const utility = random() < 0.4;
  const type = pick(random, ['all', 'all', 'application', 'grant'] as const);
  const fields: Filters = {
    ...(random() < 0.5 || type !== 'all' ? { doc_type: type } : {}),
    ...(utility || random() < 0.2 ? { include_utility_model: utility } : {}),
  };
  if (random() < 0.25) {
    const kinds = some(random, patents, 3).map((p) => p.kind_code);
    // Kind codes take precedence over both, so these are kept.
    return { fields: { ...fields, kind_codes: kinds }, matches: (p) => kinds.includes(p.kind_code) };
  }
  const wanted = type === 'all' ? ['application', 'grant'] : [type];
  const all = utility ? [...wanted, ...wanted.map((kind) => `utility ${kind}`)] : wanted;
  return { fields, matches: (p) => all.includes(kindOf(p)) };
}

function byDate(random: Random, patents: readonly Patent[]): Filter {
  const type = pick(random, DATE_TYPES);
  const day = () => dateOf(pick(random, patents), type) ?? pick(random, ['2005-06-15', '2019-02-28']);
  const [from, to] = [day(), day()].sort() as [string, string];
  const open = random();
  const range = { ...(open < 0.75 ? { from } : {}), ...(open > 0.25 ? { to } : {}) };
  const fields: Filters = {
    ...(range.from === undefined ? {} : { [`${type}_date_from`]: range.from }),
    ...(range.to === undefined ? {} : { [`${type}_date_to`]: range.to }),
  };
  return {
    fields,
    matches(p) {
      const date = dateOf(p, type);
      return date !== undefined && date >= (range.from ?? '') && date <= (range.to ?? '9999');
    },
  };
}

function byApplicant(random: Random, patents: readonly Patent[]): Filter {
  const name = pick(random, spellings(pick(random, patents).applicants));
  if (name === undefined) return byDate(random, patents);
  const match = pick(random, ['contains', 'prefix', 'exact'] as const);
  const key = companyKey(name);
  const cut = 1 + Math.floor(random() * key.length);
  const start = match === 'contains' ? Math.floor(random() * cut) : 0;
  const cutOut = key.slice(start, cut).trim();
  // A part that is only a legal form is refused.
  const isTerm = companyKey(cutOut) !== '' && !isLegalForm(cutOut);
  const piece = match === 'exact' ? name : isTerm ? cutOut : key;
  const applicant = disguised(random, piece);
  const term = companyKey(piece);
  const test = {
    contains: (text: string) => text.includes(term),
    prefix: (text: string) => text.startsWith(term),
    exact: (text: string) => text === term,
  }[match];
  return {
    fields: { applicant, ...(match === 'contains' && random() < 0.5 ? {} : { applicant_match: match }) },
    matches: (p) => spellings(p.applicants).some((other) => test(companyKey(other))),
  };
}

function byInventor(random: Random, patents: readonly Patent[]): Filter {
  const name = pick(random, spellings(pick(random, patents).inventors));
  if (name === undefined) return byDate(random, patents);
  const words = personKey(name).split(' ');
  const from = words.length <= 6 ? Math.floor(random() * words.length) : 0;
  const turned = [...words.slice(from), ...words.slice(0, from)].join(' ');
  const piece = turned.slice(0, 1 + Math.floor(random() * turned.length)).trimEnd();
  return {
    fields: { inventor: disguised(random, piece) },
    matches: (p) =>
      spellings(p.inventors).some((other) => {
        const parts = personKey(other).split(' ');
        const starts = parts.length <= 6 ? parts.map((_, n) => n) : [0];
        return starts.some((n) => [...parts.slice(n), ...parts.slice(0, n)].join(' ').startsWith(piece));
      }),
  };
}

/** A code matches a prefix; a main group is a whole number, so `H01M10` is not a prefix of `H01M 100`. */
function under(code: string, prefix: string): boolean {
  const [bare, wanted] = [code.replaceAll(' ', ''), prefix.replaceAll(' ', '').toUpperCase()];
  return /^[A-Z]\d\d[A-Z]\d+$/.test(wanted) ? bare.startsWith(`${wanted}/`) : bare.startsWith(wanted);
}

function byClass(random: Random, patents: readonly Patent[]): Filter {
  const field = pick(random, ['ipc_codes', 'cpc_codes'] as const);
  const code = pick(random, pick(random, patents)[field] ?? []);
  if (code === undefined) return byCountry(random);
  const prefixes = some(random, [code, code, ...(pick(random, patents)[field] ?? [])], 2).map((whole) => {
    const [subclass = '', group = ''] = whole.split(' ');
    const main = group.split('/')[0] ?? '';
    const subgroup = group.slice(0, group.indexOf('/') + 1 + Math.ceil(random() * 2));
    const forms = [whole[0]!, whole.slice(0, 3), subclass];
    if (group !== '') forms.push(`${subclass}${main}`, `${subclass} ${subgroup}`, whole, whole.toLowerCase());
    return pick(random, forms);
  });
  return {
    fields: { [field]: prefixes },
    matches: (p) => (p[field] ?? []).some((own) => prefixes.some((prefix) => under(own, prefix))),
  };
}

/** Spellings of a publication's number, and whether each contains the country and the kind. */
export function numberSpellings({ country, number, kind_code, patent_id }: Patent): string[] {
  const k = kind_code;
  const whole = [
    patent_id,
    patent_id.toLowerCase(),
    `${country} ${number} ${k}`,
    `${country}-${number}-${k}`,
  ];
  const plain = number.replace(/^0+/, '');
  const grouped = plain.replace(/\B(?=(\d{3})+$)/g, ',');
  if (country === 'KR' && number.endsWith('0000') && /^[BY]/.test(k)) {
    whole.push(`KR${number.slice(0, 9)} ${k}`, `KR${number.slice(0, 2)}-${number.slice(2, 9)}-0000 ${k}`);
  } else if (country === 'KR' && k === 'A') {
    whole.push(`KR${number.slice(2)}A`, `KR 10-${number.slice(2, 6)}-${number.slice(6)} A`);
  }
  if (country === 'US' && /^\d{11}$/.test(number)) {
    whole.push(`US ${number.slice(0, 4)}/${number.slice(4)} ${k}`);
    if (number[4] === '0') whole.push(`US${number.slice(0, 4)}${number.slice(5)}${k}`);
  } else if (country === 'US' && /^\d{8}$/.test(number)) whole.push(`US${plain}${k}`, `US ${grouped} ${k}`);
  if (country === 'EP')
    whole.push(`EP${plain}${k}`, `EP ${plain} ${k}`, `Europäisches Patent EP ${plain} ${k}`);
  if (country === 'CN') whole.push(`(10)授權公告號 CN ${number} ${k}`);
  if (country === 'JP' && k === 'A') {
    const year = Number(number.slice(0, 2)) + (Number(number.slice(0, 2)) > 60 ? 1925 : 1988);
    whole.push(`JP${year}${number.slice(2)}A`, `JP ${year}-${number.slice(2)} A`);
  } else if (country === 'JP' && k.startsWith('B')) whole.push(`JP${plain}${k}`);
  return whole;
}

function byPublication(random: Random, patents: readonly Patent[]): Filter {
  const one = pick(random, patents);
  if (random() < 0.4) {
    // Bare: every publication with the number, of any office and kind.
    return { fields: { publication_number: one.number }, matches: (p) => p.number === one.number };
  }
  return {
    fields: { publication_number: pick(random, numberSpellings(one)) },
    matches: (p) => p.patent_id === one.patent_id,
  };
}

function byApplication(random: Random, patents: readonly Patent[]): Filter {
  const one = pick(random, patents);
  const own = one.application_number;
  if (own === undefined) return byPublication(random, patents);
  const same = (p: Patent) => p.application_number === own;
  const spelled: Record<string, string[]> = {
    KR: [`${own.slice(0, 2)}-${own.slice(2, 6)}-${own.slice(6)}`],
    US: [`${own.slice(0, 2)}/${own.slice(2, 5)},${own.slice(5)}`],
    JP: [
      `特願${own.slice(0, 4)}-${own.slice(4)}(P${own.slice(0, 4)}-${own.slice(4)})`,
      `${own.slice(0, 4)}-${own.slice(4)}`,
    ],
    CN: [`${own}.X`, `(21)申请号 ${own}.X`],
    EP: [`${own}.4`],
  };
  const bare = [own, ...(spelled[one.country] ?? [])];
  if (random() < 0.5) return { fields: { application_number: pick(random, bare) }, matches: same };
  return {
    fields: { application_number: one.country + pick(random, bare.slice(0, 1)) },
    matches: (p) => same(p) && p.country === one.country,
  };
}

function byFamily(random: Random, patents: readonly Patent[]): Filter {
  const family = pick(random, patents).family_id;
  if (family === undefined) return byCountry(random);
  return { fields: { family_id: family }, matches: (p) => p.family_id === family };
}

const KINDS = [
  byCountry,
  byDate,
  byDate,
  byApplicant,
  byInventor,
  byClass,
  byClass,
  byPublication,
  byApplication,
  byFamily,
];

/** Up to four conditions that must all match, and the one on kinds that always applies. */
export function randomFilter(random: Random, patents: readonly Patent[]): Filter {
  const count = pick(random, [0, 1, 1, 1, 2, 2, 3]);
  const parts = [byKind(random, patents)];
  for (let n = 0; n < count; n++) parts.push(pick(random, KINDS)(random, patents));
  // A later part with the same field replaces the earlier one.
  const asked = parts.filter((part, n) =>
    Object.keys(part.fields).every((key) => !parts.slice(n + 1).some((later) => key in later.fields)),
  );
  return {
    fields: Object.assign({}, ...asked.map((part) => part.fields)) as Filters,
    matches: (patent) => asked.every((part) => part.matches(patent)),
  };
}
