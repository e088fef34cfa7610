/** The table of term translations, models/terms/terms.bin. Each process maps it once, at the first question. */
import { fileURLToPath } from 'node:url';
import { NATIVE_FOLDER } from './bundled.js';
import { native } from './native.js';

const TABLE = fileURLToPath(new URL('../models/terms/terms.bin', NATIVE_FOLDER));

let isOpen = false;

/** Opens the table. @throws PriorartError `corrupt` for a damaged file, and errors of the file system */
export function openTranslations(): void {
  if (isOpen) return;
  native.openTerms(TABLE);
  isOpen = true;
}
