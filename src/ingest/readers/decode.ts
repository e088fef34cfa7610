/** Decodes bytes to text. Offices sometimes declare a wrong encoding, so the bytes are checked first. */
import { utf16Of } from '../sniff.js';
import { DamagedDocument } from './reader.js';

const DECLARED = /^[^<]{0,3}<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** Names of code pages that the decoder knows under another name. */
const ALIASES: Record<string, string> = {
  ...{ cp949: 'euc-kr', uhc: 'euc-kr', ms949: 'euc-kr', 'x-windows-949': 'euc-kr' },
  ...{ cp932: 'shift_jis', ms932: 'shift_jis', gb2312: 'gb18030', gbk: 'gb18030', cp936: 'gb18030' },
};
/** ESC $ changes to Japanese characters in ISO-2022-JP. Its bytes are ASCII, and so valid UTF-8. */
const ESCAPE = Buffer.from('1b24', 'hex');

/** The decoder reads some syllables that CP949 adds to EUC-KR as controls, such as 똠, and may read others not at all. */
const C1 = /[\u0080-\u009f]/;
/** The same in a text that was decoded leniently. */
export const UNREAD = /[\u0080-\u009f\ufffd]/;
export const UNKNOWN_SYLLABLE =
  'a syllable of CP949 that EUC-KR lacks: convert the file with `iconv -f CP949 -t UTF-8`';

function strict(label: string, bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(bytes);
    return /^euc-kr$/i.test(label) && C1.test(text) ? undefined : text;
  } catch {
    // The bytes are in a different encoding, or the label is unknown.
    return undefined;
  }
}

/**
 * Whether the bytes are text in one Latin code page: letters above 127 are single or in pairs, and none of
 * them is valid UTF-8.
 */
export function looksLatin(bytes: Uint8Array): boolean {
  let run = 0;
  let high = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      run = 0;
      continue;
    }
    high++;
    if (++run > 3) return false;
    const follows = bytes[at + 1] ?? 0;
    if (byte >= 0xc2 && byte <= 0xf4 && follows >= 0x80 && follows <= 0xbf) return false;
  }
  return high * 20 < bytes.length;
}

/**
 * Decodes a document. Valid UTF-8 is read as UTF-8, regardless of the declaration: text in another encoding
 * but ISO-2022-JP is practically never valid UTF-8. Other bytes are read in the declared encoding, then as windows-1252 if
 * the text is consistently Latin.
 * @throws DamagedDocument if no encoding fits the bytes
 */
export function decodeText(bytes: Uint8Array): string {
  const wide = utf16Of(bytes);
  if (wide !== undefined) {
    const text = strict(wide, bytes);
    if (text !== undefined) return text;
    throw new DamagedDocument('the bytes are not the UTF-16 that their beginning announces');
  }
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(ESCAPE)) {
    const text = strict('iso-2022-jp', bytes);
    if (text !== undefined) return text;
  }
  const utf8 = strict('utf-8', bytes);
  if (utf8 !== undefined) return utf8;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 300)).toString('latin1');
  const declared = DECLARED.exec(head)?.[1]?.toLowerCase();
  if (declared !== undefined && !/^utf-?(?:8|16)/.test(declared)) {
    const text = strict(ALIASES[declared] ?? declared, bytes);
    if (text !== undefined) return text;
  }
  if (looksLatin(bytes)) return new TextDecoder('windows-1252').decode(bytes);
  const named = declared === undefined || /^utf-?8$/.test(declared) ? 'UTF-8' : `${declared}, nor UTF-8`;
  throw new DamagedDocument(`the bytes are not valid ${named}${likely(bytes)}`);
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/**
 * Encodings of Japanese, Korean and Chinese text: names for the decoder and for iconv, letters of the language, and their least
 * share of the letters above ASCII. Bytes of one of these encodings are mostly valid in the others, but give other letters.
 */
const EAST_ASIAN = [
  { label: 'shift_jis', iconv: 'CP932', letters: KANA, least: 0.2 },
  { label: 'euc-jp', iconv: 'EUC-JP', letters: KANA, least: 0.2 },
  { label: 'euc-kr', iconv: 'CP949', letters: /[\uac00-\ud7a3]/gu, least: 0.85 },
  { label: 'gb18030', iconv: 'GB18030', letters: /\p{Script=Han}/gu, least: 0.7 },
] as const;
/** Bytes that are decoded for a guess. */
const GUESSED_BYTES = 10_000;
/** Half-width katakana are single bytes in Shift_JIS, so other encodings decode to them. */
const HALF_WIDTH = /[\uff61-\uff9f]/gu;

/** The encoding that the bytes seem to have, and the command that converts it; empty if none fits. */
function likely(bytes: Uint8Array): string {
  for (const { label, iconv, letters, least } of EAST_ASIAN) {
    // Not strict: the last character may be cut.
    const text = new TextDecoder(label)
      .decode(bytes.subarray(0, GUESSED_BYTES))
      .replace(HALF_WIDTH, '\ufffd');
    const foreign = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
    const faults = text.match(/\ufffd/gu)?.length ?? 0;
    const own = text.match(letters)?.length ?? 0;
    if (faults <= 1 && own > foreign * least)
      return `; they look like ${iconv}: convert the file with \`iconv -f ${iconv} -t UTF-8\``;
  }
  return '';
}
