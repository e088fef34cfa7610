/** Bytes to text. Offices declare encodings that are not the document's, so the bytes are believed first. */
import { DamagedDocument } from './reader.js';

const DECLARED = /^[^<]{0,3}<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

function strict(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    // Not this encoding, or a label that nobody knows.
    return undefined;
  }
}

/** Text in one Latin code page: letters above 127 stand alone or in pairs, and none of it is valid UTF-8. */
function looksLatin(bytes: Uint8Array): boolean {
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
 * The text of a document. UTF-8 wherever the bytes are valid UTF-8, whatever is declared (text in another
 * encoding is practically never valid by chance); else the declared encoding; else windows-1252 where the
 * text is consistently Latin.
 * @throws DamagedDocument when the bytes are text in none of these.
 */
export function decodeText(bytes: Uint8Array): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    const wide = strict(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be', bytes);
    if (wide !== undefined) return wide;
    throw new DamagedDocument('the bytes are not the UTF-16 that their byte order mark announces');
  }
  const utf8 = strict('utf-8', bytes);
  if (utf8 !== undefined) return utf8;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 300)).toString('latin1');
  const declared = DECLARED.exec(head)?.[1]?.toLowerCase();
  if (declared !== undefined && !/^utf-?(?:8|16)/.test(declared)) {
    const text = strict(declared, bytes);
    if (text !== undefined) return text;
  }
  if (looksLatin(bytes)) return new TextDecoder('windows-1252').decode(bytes);
  throw new DamagedDocument(`the bytes are not valid ${declared ?? 'UTF-8'} (nor UTF-8)`);
}
