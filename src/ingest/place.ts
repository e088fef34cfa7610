/** A place in a source, and how it is told to people. */
import { dirname, resolve } from 'node:path';
import type { Failure } from './readers/reader.js';
import { UnpackError } from './unpack.js';

/** The file, the entries on the way, how deep in containers. */
export interface Place {
  file: string;
  entries: string[];
  depth: number;
  /** Somebody named this very file, so that it must not be passed over. */
  isNamed: boolean;
}

/** As `Unit.position`. */
export function positionOf(place: Place, position?: string): string {
  const entries = place.entries.length > 0 ? `entry ${place.entries.join(' > ')}` : '';
  return [entries, position].filter(Boolean).join(', ') || 'byte 0';
}

/** As `Unit.folder`: of a file its folder; within an archive that of the entry, behind the archive itself. */
export function folderOf({ file, entries }: Place): string {
  const entry = entries.at(-1);
  if (entry === undefined) return dirname(resolve(file));
  return [resolve(file), ...entries.slice(0, -1), dirname(entry.replaceAll('\\', '/'))].join(' > ');
}

export function failureAt(place: Place, reason: string, position?: string): Failure {
  return { file: place.file, position: positionOf(place, position), reason };
}

/** What the system or the unpacking has to say, in words for the report. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnpackError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code ? `cannot be read (${code})` : message;
}
