/** Kind of a file from its first bytes: a container, an image, a known companion of patent data, or text. */

export type FileKind = 'gzip' | 'zip' | 'tar' | 'image' | 'utf16' | 'other';

const IMAGES = ['49492a00', '4d4d002a', '89504e47', 'ffd8ff', '47494638', '424d', '0000000c6a502020'];
const PDF = '25504446';
/** PDF, ChemDraw, files of desktop systems (.DS_Store, AppleDouble). */
const COMPANIONS = [PDF, '566a4344', '00000001427564', '00051607'];

const TAR_MAGIC_AT = 257;

/** The kind of a file with these first bytes. */
export function sniff(head: Uint8Array): FileKind {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 512));
  const hex = bytes.subarray(0, 12).toString('hex');
  if (hex.startsWith('1f8b')) return 'gzip';
  // Local file header, empty archive, spanned archive.
  if (/^504b(?:0304|0506|0708)/.test(hex)) return 'zip';
  if (bytes.subarray(TAR_MAGIC_AT, TAR_MAGIC_AT + 5).toString('latin1') === 'ustar') return 'tar';
  if (utf16Of(head) !== undefined) return 'utf16';
  if (hex.startsWith('424d') && !/^424d.{8}00000000/.test(hex)) return 'other';
  if (IMAGES.some((magic) => hex.startsWith(magic))) return 'image';
  return /^52494646.{8}57454250/.test(hex) ? 'image' : 'other';
}

/** The UTF-16 that begins with a byte order mark, or with `<?` without one. */
export function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const hex = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4)).toString('hex');
  if (/^(?:fffe|3c003f00)/.test(hex)) return 'utf-16le';
  return /^(?:feff|003c003f)/.test(hex) ? 'utf-16be' : undefined;
}

const PACKED: readonly [string, string][] = [
  ['xz', 'fd377a585a00'],
  ['bzip2', '425a68'],
  ['Zstandard', '28b52ffd'],
  ['7-Zip', '377abcaf271c'],
  ['RAR', '526172211a07'],
];

/** Compound File Binary: documents of Office before 2007, and later ones with a password. */
const COMPOUND_FILE = 'd0cf11e0a1b11ae1';
const OF_COMPOUND_FILE =
  'an old spreadsheet (.xls) or another old office document, or one with a password, which is not read; save it as .xlsx or CSV, without a password';

/** Why a file with these first bytes is not opened, for formats that are known but not supported. */
export function closedReason(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 8)).toString('hex');
  if (hex === COMPOUND_FILE) return OF_COMPOUND_FILE;
  const packed = PACKED.find(([, magic]) => hex.startsWith(magic))?.[0];
  return packed && `packed with ${packed}, which is not opened here; unpack it`;
}

export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4)).toString('hex') === PDF;
}

/**
 * Whether the file is a companion without a publication: chemical structure, notebook, type definition,
 * stylesheet.
 */
export function isSideFile(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4096));
  const hex = bytes.subarray(0, 12).toString('hex');
  if (COMPANIONS.some((magic) => hex.startsWith(magic))) return true;
  const text = bytes.toString('latin1');
  if (/\bV[23]000\r?\n/.test(text) || /^\s*\(\*+ Content-type: application\/.*mathematica/i.test(text))
    return true;
  // A DTD or a schema, possibly after an XML declaration and comments.
  const body = text.replace(/^(?:\u00ef\u00bb\u00bf)?(?:\s|<\?[\s\S]*?\?>|<!--[\s\S]*?(?:-->|$))*/, '');
  return /^(?:<!(?:ELEMENT|ENTITY|ATTLIST|NOTATION)\b|<(?:\w+:)?(?:schema|stylesheet|transform)[\s>])/i.test(
    body,
  );
}
