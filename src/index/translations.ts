/** The table of term translations. Each process maps it once, at the first question. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PriorartError } from '../errors.js';
import { NATIVE_FOLDER } from './bundled.js';
import { native } from './native.js';

const FILE = 'models/terms/terms.bin';
const TABLE = fileURLToPath(new URL(`../${FILE}`, NATIVE_FOLDER));

let isOpen = false;

/** Opens the table. @throws PriorartError `model_missing`, `model_damaged` */
export function openTranslations(): void {
  if (isOpen) return;
  openTable(TABLE);
  isOpen = true;
}

/** Opens a table at a path, unless the process has one. @throws PriorartError `model_missing`, `model_damaged` */
export function openTable(path: string): void {
  try {
    native.openTerms(path);
  } catch (cause) {
    const [code, is] = existsSync(path)
      ? (['model_damaged', 'damaged'] as const)
      : (['model_missing', 'missing'] as const);
    const remedy = `in a clone run \`git checkout ${FILE}\`, in an app install the package again`;
    throw new PriorartError(code, `the table of translations ${path} is ${is}; ${remedy}`, { cause });
  }
}
