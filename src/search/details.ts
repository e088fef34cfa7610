/** Full documents by number, up to 200 at once, one entry per number asked. */
import { patentOf } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { damagedLookup, resolveShown } from '../store/resolve.js';
import { bibliographyOf, familiesOf } from './bibliography.js';
import { type Cancellation, uncancelled } from './cancel.js';
import { markdownOf } from './markdown.js';
import type { DetailsQuery } from './query.js';
import type { Searched } from './reader.js';
import { figuresOf, metadataOf, representativeFigure } from './show.js';
import type { DetailsEntry, DetailsResponse } from './types.js';

/** Answers a request for details. */
export function detailsOf(
  folder: Searched,
  query: DetailsQuery,
  cancellation: Cancellation = uncancelled,
): DetailsResponse {
  const { store } = folder;
  // One state for all that follows. A snapshot reads the newest one, too, so it comes before the first number.
  const native = query.bibliography ? folder.snapshot().native : undefined;
  if (native === undefined) store.refresh();
  const found = query.patentIds.map((asked): Found => {
    cancellation.check();
    const candidates = resolveShown(store, asked);
    const doc = candidates.length === 1 ? store.ids.get(candidates[0]!) : undefined;
    return { asked, candidates, doc };
  });
  const families = native
    ? familiesOf(
        store,
        native,
        found.flatMap(({ doc }) => doc ?? []),
        cancellation,
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
  store: Publications,
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
    metadata: metadataOf(head),
    content: markdownOf(head, body, figuresOf(store, head), sections, linkBase),
    ...(figure === undefined ? {} : { representative_figure: figure }),
    ...(families && { bibliography: bibliographyOf(store, patentOf(head, body), families.get(doc) ?? []) }),
  };
}
