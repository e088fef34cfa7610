/** Finds the stored image of a drawing by its publication and file name. */
import { figureKey, SHOWN_EXTENSION } from '../drawings/name.js';
import { PriorartError } from '../errors.js';
import { figureImages } from '../store/figures.js';
import type { Publications } from '../store/publications.js';
import { resolvePublications } from '../store/resolve.js';

/**
 * Name of the image's content: the SHA-256 of its bytes in hex. Reads the store only: no part of a request becomes a path.
 * @param publication a patent_id, or a number in any spelling that fits one publication
 * @param file the name that an answer showed
 * @throws PriorartError `not_found`
 */
export function findDrawing(store: Publications, publication: string, file: string): string {
  const key = drawingKey(publication, file);
  store.refresh();
  const direct = figureImages(store, publication).get(key);
  if (direct) return direct.content;
  const [patentId, ...others] = resolvePublications(store, publication);
  if (patentId === undefined || others.length > 0) throw notFound();
  const { corrects = [] } = store.documents.get(store.ids.get(patentId) ?? -1) ?? {};
  const image = figureImages(store, patentId, ...corrects).get(key);
  if (image === undefined) throw notFound();
  return image.content;
}

/** The key of the figure that a request names. @throws PriorartError `not_found` if there can be none */
export function drawingKey(publication: string, file: string): string {
  const key = file.toLowerCase().endsWith(SHOWN_EXTENSION) ? figureKey(file) : undefined;
  if (key === undefined || publication === '' || publication.length > PUBLICATION_MAX_CHARS) throw notFound();
  return key;
}

/** Characters; longer than any number in any spelling. */
const PUBLICATION_MAX_CHARS = 64;

function notFound(): PriorartError {
  return new PriorartError(
    'not_found',
    'there is no such drawing; expected a patent_id and a file name that a search or details showed',
  );
}
