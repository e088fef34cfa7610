/** The publications of one Korean application, from the numbers in every KIPRIS format. */
import type { Country } from '../../patent/country.js';
import { patentId, publicationNumber } from '../../patent/number.js';
import type { Patent } from '../../patent/record.js';
import { present } from './publication.js';
import { DamagedDocument } from './reader.js';

/** Kinds by the right at the beginning of a Korean number: 10 patent, 20 utility model, 30 design. */
const KINDS: Record<string, { open: string; registered: string }> = {
  '10': { open: 'A', registered: 'B1' },
  '20': { open: 'U', registered: 'Y1' },
  '30': { open: 'S', registered: 'S' },
};

/** The notice before the text of an abandoned claim, in some records between `◈` or in brackets. */
const ABANDONED = /^[◈[\s]*청구항 ?\d{1,4} ?(?:은\(는\)|은|는) ?설정 ?등록료 ?납부 ?시 ?포기되었습니다/u;

/**
 * Whether a claim was abandoned when the registration fee was paid. KIPRIS keeps its number and text behind a notice, but
 * the granted right has no such claim.
 */
function isAbandonedClaim(text: string): boolean {
  return ABANDONED.test(text);
}

/** The text of a deleted claim, which keeps its number: `삭제`, `[삭제]`. */
const DELETED = /^[[(]? ?삭 ?제 ?[\])]?\.?$/;

/** Whether the text says that the publication does not have the claim: it was deleted or abandoned. */
export function isNoClaim(text: string): boolean {
  return DELETED.test(text) || isAbandonedClaim(text);
}

export interface Stated {
  number: string | undefined;
  date: string | undefined;
}

export interface KoreanNumbers {
  /** 공개: the published application. */
  open: Stated;
  /** 등록: the registered right. Its date is the grant date. */
  registration: Stated;
  /** 공고: the gazette in which a registered right is published. */
  announcement: Stated;
}

/** Fields of one publication only, by whether it is the registered publication. */
export type Own = (isRegistered: boolean) => Partial<Patent>;

/**
 * A (U) from the open number, B1 (Y1) from the register number. Both have the fields of `shared`.
 * @throws DamagedDocument if a number is not a number of the Korean office
 */
export function koreanPublications(
  { open, registration, announcement }: KoreanNumbers,
  shared: Partial<Patent>,
  own: Own = () => ({}),
): Patent[] {
  const published: Patent[] = [];
  if (open.number) {
    const dates = present({ publication_date: open.date });
    published.push({ ...koreanIdentity(open.number, false), ...shared, ...dates, ...own(false) });
  }
  if (registration.number) {
    const dates = present({
      publication_date: announcement.date,
      grant_date: registration.date ?? announcement.date,
    });
    published.push({ ...koreanIdentity(registration.number, true), ...shared, ...dates, ...own(true) });
  }
  return published;
}

/** A status of KIPRIS. The day of a registration or of a publication is that of its number. */
export function koreanStatus(
  status: string | undefined,
  { open, registration }: Pick<KoreanNumbers, 'open' | 'registration'>,
): Partial<Patent> {
  if (!status) return {};
  const date = status === '등록' ? registration.date : status === '공개' ? open.date : undefined;
  return { legal_status: { status, ...present({ date }) } };
}

/**
 * Identity of a Korean publication from its own number. The kind follows from the right at the beginning of the number.
 * @throws DamagedDocument if the number is not one of the Korean office
 */
export function koreanIdentity(
  docNumber: string,
  isRegistered: boolean,
): Pick<Patent, 'patent_id' | 'country' | 'number' | 'kind_code'> {
  const number = publicationNumber('KR', docNumber);
  const kinds = KINDS[number?.slice(0, 2) ?? ''];
  if (!kinds || !number)
    throw new DamagedDocument(`${JSON.stringify(docNumber)} is not a KR publication number`);
  const kind = isRegistered ? kinds.registered : kinds.open;
  const country: Country = 'KR';
  return { patent_id: patentId(country, number, kind), country, number, kind_code: kind };
}
