/** A place in a source, and its description for users. */
import { dirname, resolve } from 'node:path';
import type { Failure } from './readers/reader.js';
import { UnpackError } from './unpack.js';

/** The file, its entries from the outermost to the innermost, the depth of containers, and the sheet of a spreadsheet. */
export interface Place {
  file: string;
  entries: string[];
  depth: number;
  sheet?: string;
  /** True if the user named this file. A named file must not be skipped. */
  isNamed: boolean;
}

/** As `Unit.position`. */
export function positionOf(place: Place, position?: string): string {
  const entries = place.entries.length > 0 ? `entry ${place.entries.join(' > ')}` : '';
  const sheet = place.sheet === undefined ? '' : `sheet ${JSON.stringify(place.sheet)}`;
  return [entries, sheet, position].filter(Boolean).join(', ') || 'byte 0';
}

/** As `Unit.folder`: the folder of a file, or the archive and the folder of an entry within it. */
export function folderOf({ file, entries }: Place): string {
  const entry = entries.at(-1);
  if (entry === undefined) return dirname(resolve(file));
  return [resolve(file), ...entries.slice(0, -1), dirname(entry.replaceAll('\\', '/'))].join(' > ');
}

export function failureAt(place: Place, reason: string, position?: string): Failure {
  return { file: place.file, position: positionOf(place, position), reason };
}

/** Message of a system or unpacking error for the report. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnpackError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code ? `cannot be read (${code})` : message;
}
