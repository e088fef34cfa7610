/**
 * The table `g_patent.tsv` of PatentsView (https://patentsview.org): US grants with title, day and kind. Its other tables, as that of the
 * abstracts, have numbers without kinds.
 */
import type { Row, RowPublication, TableForm } from './table-form.js';

function publications(row: Row): RowPublication[] | { skipped: string } {
  const number = row.get('patentid');
  if (row.get('withdrawn') === '1') return { skipped: `US ${number} was withdrawn` };
  const fields = {
    country_code: 'US',
    publication_number: number,
    kind_code: row.get('wipokind'),
    title: row.get('patenttitle'),
    publication_date: row.get('patentdate'),
    earliest_unknown: true,
  };
  return [{ fields }];
}

export const patentsViewTable: TableForm = {
  isForm: (headings) => ['patentid', 'wipokind', 'patenttitle'].every((name) => headings.has(name)),
  publications,
};
