/**
 * Interface of a reader. The main thread splits a stream into units. A worker parses each unit. A unit is
 * therefore plain data that can be cloned, and `parse` is a pure function of its bytes.
 */
import type { Patent } from '../../patent/record.js';
import type { Splitter } from '../split.js';

/** One document, line or record of a source before parsing. */
export interface Unit {
  /** Path as given, or as found under a given folder. */
  file: string;
  /** Position in the file for users: `byte 1234`, `record 3, byte 784`, `line 7`, `entry a.zip > x.xml, byte 0`, `sheet "Results", line 12`. */
  position: string;
  /** Folder of the unit, or the archive and the folder within it. Images of one folder belong together. */
  folder: string;
  /** `Reader.format` of the reader that recognised the unit. */
  format: string;
  bytes: Uint8Array;
  /**
   * True if the unit replaces the stored record of its publication, even if the stored record once replaced
   * the same content. A document of a file does not: a second read of an old file changes nothing.
   */
  replaces?: boolean;
  /**
   * True if an earlier record of the same publication may not be stored yet. The store then cannot tell
   * whether this record changes the publication.
   */
  isRepeated?: boolean;
}

/** An unreadable part of a source, with the reason. */
export interface Failure {
  /** Path of the file, or the name of the records. */
  file: string;
  /** Position in the file: `line 7`, `record 7`, `record 7, byte 1234`, `byte 1234`. */
  position: string;
  /** Number of the publication as the record states it, if the record is JSON Lines of priorart and states one. */
  patent_id?: string;
  /** Reason in words. */
  reason: string;
}

/** A file or entry that is not patent data and that the user did not name. It is not a failure. */
export interface SkippedFile {
  file: string;
  position: string;
  reason: string;
}

export interface ParsedUnit {
  /** Publications in the order of the document. A KIPRIS record yields up to two. */
  patents: Patent[];
  /** Publications left out on purpose, for example of a country outside the five offices. */
  skipped: { reason: string }[];
  /**
   * The reason why a part of the unit was unreadable. `patents` holds the readable part, which is usually
   * empty. `patent_id` is the number that a record of JSON Lines states.
   */
  failed?: { reason: string; patent_id?: string };
}

/** Reasons of one unit that are told in full. */
const REASONS_TOLD = 3;

/** A unit of which some documents could not be read. They do not hide the others. @param reasons empty: all could be read */
export function withFailures(unit: ParsedUnit, reasons: readonly string[]): ParsedUnit {
  if (reasons.length === 0) return unit;
  const rest = reasons.length - REASONS_TOLD;
  const told = reasons.slice(0, REASONS_TOLD).join('; ');
  return { ...unit, failed: { reason: rest > 0 ? `${told}; and ${rest} more` : told } };
}

export interface Reader {
  /** Stable name, for example `us-patent-grant`. */
  format: string;
  /** Name of the format in messages. */
  title: string;
  /**
   * Increased with every change that gives other records for the same bytes. An ingest uses it to find stale
   * files.
   */
  version: number;
  /** Whether a unit or a stream with these first bytes has this format. */
  detect(head: Uint8Array): boolean;
  /** True if one object holds all records in a list. A line with such an object is then no record. */
  hasList?: true;
  /** Splits a stream of this format into units. */
  split: Splitter;
  /** Reads one unit. Throws on damage. `parseUnit` turns the error into `failed`. */
  parse(bytes: Uint8Array): ParsedUnit;
}

/** Damage of a document, in words for the report. */
export class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument';
}
