/** Full documents by number, up to 200 at once, one entry per number asked. */
import { damagedLookup, resolvePublications } from '../store/resolve.js';
import type { Store } from '../store/store.js';
import { type Cancellation, uncancelled } from './cancel.js';
import type { Folder } from './folder.js';
import { markdownOf } from './markdown.js';
import type { DetailsQuery } from './query.js';
import { applicantOf, datesOf, figuresOf, representativeFigure, titleOf } from './show.js';
import type { DetailsEntry, DetailsResponse } from './types.js';

/** Answers a request for details. */
export function detailsOf(
  { store }: Folder,
  query: DetailsQuery,
  cancellation: Cancellation = uncancelled,
): DetailsResponse {
  store.refresh();
  const patents = query.patentIds.map((asked) => {
    cancellation.check();
    return entryOf(store, asked, query);
  });
  return { patents };
}

function entryOf(store: Store, asked: string, { sections, linkBase = '' }: DetailsQuery): DetailsEntry {
  const candidates = resolvePublications(store, asked);
  if (candidates.length > 1) return { patent_id: asked, error: 'ambiguous', candidates };
  const id = candidates[0] === undefined ? undefined : store.ids.get(candidates[0]);
  if (id === undefined) return { patent_id: asked, error: 'not_found' };
  const [head, body] = [store.documents.get(id), store.bodies.get(id)];
  if (head === undefined || body === undefined) throw damagedLookup(store.dir, `document ${id}`);
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
  };
}
