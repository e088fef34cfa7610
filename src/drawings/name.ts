/**
 * Names of figures. An office calls a figure by a file name (`US20250204297A1-20250626-D00001.TIF`, `図1.png`); it is
 * known here by the stem of that name, folded, and shown as that stem with `.webp`. A name only ever is a key
 * and a word in an answer: no path is made of it.
 */
import { DRAWING_NAME_MAX_CHARS } from '../limits.js';

/** Begins with a letter or a digit of any script: neither hidden nor an option, and no `..`. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} _()+,-]|\.(?!\.))*$/u;

/** An image's extension, as offices write them. */
const EXTENSION = /\.(?:tiff?|jpe?g|png|gif|bmp|webp|jp2)$/i;

/** The extension that every stored figure is shown with. */
export const SHOWN_EXTENSION = '.webp';

/** Whether a file calls itself an image; what it is, its content says. */
export function isImageName(file: string): boolean {
  return EXTENSION.test(file);
}

/** A name without the extension of an image, as it is printed. */
function stemOf(file: string): string {
  return file.normalize('NFC').replace(EXTENSION, '');
}

/**
 * The key of a figure: the stem of its file name, without regard to case. Undefined for what is no plain name:
 * empty or too long, with a folder, control characters, percent signs, `..` or anything else of which somebody
 * could build a path.
 */
export function figureKey(file: string): string | undefined {
  if (file.length > DRAWING_NAME_MAX_CHARS) return undefined;
  const key = stemOf(file).toLowerCase().normalize('NFC');
  return key.length <= DRAWING_NAME_MAX_CHARS && PLAIN.test(key) && !/[ .]$/.test(key) ? key : undefined;
}

/** The name that an answer shows for a figure that the office calls `file`. */
export function shownName(file: string): string {
  return stemOf(file) + SHOWN_EXTENSION;
}

/**
 * Whether a name can mean only one publication, wherever it lies: it carries the publication's own number.
 * Others (`imgf0001.tif`) begin anew in each publication and mean something in their own folder only.
 */
export function isUniqueName(key: string): boolean {
  return /\d{7}/.test(key);
}

/**
 * Whether a name says that the image is a formula, a table or a listing within the text, and no drawing: US
 * `…-C00001` (chemistry), `-M` (mathematics), `-T` (table), `-P` (program), `-S` (sequence) beside `-D` (sheets);
 * EP `imgb0001`, `imgib0001` (body) beside `imgf0001` (figures) and `imgaf001` (figure of the abstract).
 */
export function isInlineImage(file: string): boolean {
  return /-[CMPST]\d{5}$|^imgi?b\d+$/i.test(stemOf(file));
}
