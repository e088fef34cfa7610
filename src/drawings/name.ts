/**
 * Names of figures. An office gives a figure a file name (`US20250204297A1-20250626-D00001.TIF`, `図1.png`). Its key here
 * is the folded stem of that name; answers show the stem with `.webp`. A name is never used to build a path.
 */
import { DRAWING_NAME_MAX_CHARS } from '../limits.js';

/** A name that begins with a letter or a digit of any script, so that it is not a hidden file, option or `..`. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} _()+,-]|\.(?!\.))*$/u;

/** An image's extension, as offices write them. */
const EXTENSION = /\.(?:tiff?|jpe?g|png|gif|bmp|webp|jp2)$/i;

/** The extension that every stored figure is shown with. */
export const SHOWN_EXTENSION = '.webp';

/** Whether a file name has the extension of an image. The content decides the format. */
export function isImageName(file: string): boolean {
  return EXTENSION.test(file);
}

/** A name without the extension of an image, in its original case. */
function stemOf(file: string): string {
  return file.normalize('NFC').replace(EXTENSION, '');
}

/**
 * The key of a figure: the stem of its file name, regardless of case. Undefined if the name is empty, too long, or could
 * be used as a path: with a slash, control characters, percent signs or `..`.
 */
export function figureKey(file: string): string | undefined {
  if (file.length > DRAWING_NAME_MAX_CHARS + SHOWN_EXTENSION.length) return undefined;
  const key = stemOf(file).toLowerCase().normalize('NFC');
  return key.length <= DRAWING_NAME_MAX_CHARS && PLAIN.test(key) && !/[ .]$/.test(key) ? key : undefined;
}

/** The name that an answer shows for a figure that the office calls `file`. */
export function shownName(file: string): string {
  return stemOf(file) + SHOWN_EXTENSION;
}

/**
 * Whether a name identifies one publication, in any folder: it contains the publication's number. Other names
 * (`imgf0001.tif`) occur in every publication and are unique only in its folder.
 */
export function isUniqueName(key: string): boolean {
  return /\d{7}/.test(key);
}

/**
 * Whether the name is that of a formula, a table or a listing within the text, not of a drawing: US
 * `…-C00001` (chemistry), `-M` (mathematics), `-T` (table), `-P` (program), `-S` (sequence) beside `-D` (sheets);
 * EP `imgb0001`, `imgib0001` (body) beside `imgf0001` (figures) and `imgaf001` (figure of the abstract).
 */
export function isInlineImage(file: string): boolean {
  return /-[CMPST]\d{5}$|^imgi?b\d+$/i.test(stemOf(file));
}
