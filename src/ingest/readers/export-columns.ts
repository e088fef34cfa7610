/** What the columns of a table of publications hold, by their headings. */
import { plainHeading } from './table-form.js';

/** Headings as `plainHeading` writes them. */
const COLUMNS: Record<string, readonly string[]> = {
  publication_number: [
    ...['publicationnumber', 'publicationno', 'id', 'authorizationnoticeid', 'resultnumber'],
    ...['公开公告号', '公开号', '公告号', '授权公告号', '申请公布号', '公开公告号码'],
  ],
  title: ['title', 'titlelocalized', 'name', '标题', '名称', '发明名称', '专利名称', '标题中文'],
  abstract: ['abstract', 'abstractlocalized', '摘要'],
  claims: ['claims', 'claimslocalized', '权利要求', '权利要求书'],
  description: ['description', 'descriptionlocalized', '说明书'],
  assignee: ['assignee', 'applicant', 'applicants', 'patentee', '申请人', '专利权人', '申请专利权人'],
  assignee_harmonized: ['assigneeharmonized'],
  inventor: [
    'inventor',
    'inventors',
    'inventorauthor',
    'author',
    'designer',
    '发明人',
    '发明设计人',
    '设计人',
  ],
  inventor_harmonized: ['inventorharmonized'],
  priority_date: ['prioritydate', '优先权日'],
  filing_date: ['filingdate', 'filingcreationdate', '申请日'],
  publication_date: [
    'publicationdate',
    'authorizedannouncementdate',
    '公开公告日',
    '公开日',
    '公告日',
    '授权公告日',
  ],
  grant_date: ['grantdate', '授权日'],
  application_number: ['applicationnumber', 'filingid', '申请号'],
  country_code: ['countrycode'],
  kind_code: ['kindcode'],
  ipc: ['ipc', 'ipccodes', 'intcl', 'ipc分类号', '国际分类号'],
  cpc: ['cpc', 'cpccodes', 'cpc分类号'],
  family_id: ['familyid'],
  citation: ['citation'],
  priority_claim: ['priorityclaim'],
  representative_figure: ['representativefigure', 'representativefigurelink'],
};

const FIELD_OF = new Map(
  Object.entries(COLUMNS).flatMap(([field, names]) => names.map((name) => [name, field])),
);

/** The field of a column; `undefined` if its heading is not known. */
export const fieldOf = (column: string): string | undefined => FIELD_OF.get(plainHeading(column));

/** Columns typical of lists of publications. Other lists with an id and a title do not have them. */
export const TYPICAL = [
  'assignee',
  'inventor',
  'priority_date',
  'filing_date',
  'publication_date',
  'ipc',
  'cpc',
  'abstract',
];
