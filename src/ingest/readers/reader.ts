/**
 * What a reader is. Splitting a stream into units happens on the main thread, parsing a unit in a worker:
 * so a unit is plain data that can be cloned, and `parse` is a pure function of its bytes.
 */
import type { Patent } from '../../patent/record.js';
import type { Splitter } from '../split.js';

/** One document (or one line, or one record) as it stands in the source, not yet read. */
export interface Unit {
  /** Path as given, or found under a folder that was given. */
  file: string;
  /** Where in the file, for people: `byte 1234`, `line 7`, `entry a.zip > x.xml, byte 0`. */
  position: string;
  /** Where it lies: a folder, or an archive with the folder in it. Images of one folder belong together. */
  folder: string;
  /** `Reader.format` of the reader that recognised it. */
  format: string;
  bytes: Uint8Array;
  /**
   * It replaces the stored record of its publication, even if that has replaced the same content before. A document of a
   * file does not: reading an old file again changes nothing.
   */
  replaces?: boolean;
  /** An earlier record of the same publication may not be stored yet, so the store can not tell whether this one changes it. */
  isRepeated?: boolean;
}

/** Something in a source that could not be read, and why. */
export interface Failure {
  /** Path of the file, or the name of the records. */
  file: string;
  /** Where in it: `line 7`, `record 7`, `byte 1234`. */
  position: string;
  /** What is wrong. */
  reason: string;
}

/** A file or entry that is no patent data and that nobody named: no failure. */
export interface SkippedFile {
  file: string;
  position: string;
  reason: string;
}

export interface ParsedUnit {
  /** Publications, in the order of the document; a KIPRIS record yields up to two. */
  patents: Patent[];
  /** Publications left out on purpose, for instance of a country outside the five. */
  skipped: { reason: string }[];
  /** What of the unit could not be read; `patents` holds the rest, usually nothing. */
  failed?: { reason: string };
}

export interface Reader {
  /** Stable name, for instance `us-patent-grant`. */
  format: string;
  /** What the format is, for messages. */
  title: string;
  /** Raised whenever the same bytes would give other records, so that an ingest can tell what is stale. */
  version: number;
  /** Whether a unit (or a stream) that begins with these bytes is of this format. */
  detect(head: Uint8Array): boolean;
  /** How a stream of this format comes apart into units. */
  split: Splitter;
  /** Reads one unit. Throws on damage: `parseUnit` turns that into `failed`. */
  parse(bytes: Uint8Array): ParsedUnit;
}

/** What is wrong with a document, in words for the report. */
export class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}
