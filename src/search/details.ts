/** Full documents by number, up to 200 at once, one entry per number asked. */
import { patentOf } from '../store/document.js';
import { damagedLookup, resolvePublications } from '../store/resolve.js';
import type { Store } from '../store/store.js';
import { bibliographyOf, familiesOf } from './bibliography.js';
import { type Cancellation, uncancelled } from './cancel.js';
import type { Folder } from './folder.js';
import { markdownOf } from './markdown.js';
import type { DetailsQuery } from './query.js';
import { applicantOf, datesOf, figuresOf, representativeFigure, titleOf } from './show.js';
import type { DetailsEntry, DetailsResponse } from './types.js';

/** Answers a request for details. */
export function detailsOf(
  folder: Folder,
  query: DetailsQuery,
  cancellation: Cancellation = uncancelled,
): DetailsResponse {
  const { store } = folder;
  store.refresh();
  const found = query.patentIds.map((asked): Found => {
    cancellation.check();
    const candidates = resolvePublications(store, asked);
    const doc = candidates.length === 1 ? store.ids.get(candidates[0]!) : undefined;
    return { asked, candidates, doc };
  });
  const families = query.bibliography
    ? familiesOf(
        folder,
        found.flatMap(({ doc }) => doc ?? []),
      )
    : undefined;
  const patents = found.map((one) => {
    cancellation.check();
    return entryOf(store, one, query, families);
  });
  return { patents };
}

interface Found {
  asked: string;
  candidates: string[];
  /** Absent unless one publication is stored. */
  doc: number | undefined;
}

function entryOf(
  store: Store,
  { asked, candidates, doc }: Found,
  { sections, linkBase = '' }: DetailsQuery,
  families: ReadonlyMap<number, string[]> | undefined,
): DetailsEntry {
  if (candidates.length > 1) return { patent_id: asked, error: 'ambiguous', candidates };
  if (doc === undefined) return { patent_id: asked, error: 'not_found' };
  const [head, body] = [store.documents.get(doc), store.bodies.get(doc)];
  if (head === undefined || body === undefined) throw damagedLookup(store.dir, `document ${doc}`);
  const figure = representativeFigure(store, head);
  return {
    patent_id: head.patent_id,
    metadata: {
      title: titleOf(head),
      applicant: applicantOf(head),
      ...datesOf(head),
      ipc_codes: head.ipc_codes ?? [],
      kind_code: head.kind_code,
      country: head.country,
    },
    content: markdownOf(head, body, figuresOf(store, head), sections, linkBase),
    ...(figure === undefined ? {} : { representative_figure: figure }),
    ...(families && { bibliography: bibliographyOf(store, patentOf(head, body), families.get(doc) ?? []) }),
  };
}
