/**
 * Joins tables that are spread over the files of a folder. Rows are collected by the value of the first
 * column. All rows of one application are returned together after the last file of the folder. Rows are held
 * in memory outside the JavaScript heap, within a bound.
 */
import { dirname } from 'node:path';
import { JOINED_TABLES_MAX_BYTES } from '../limits.js';
import { folderOf, type Place } from './place.js';
import { isReadTable, kiprisTables, koreanText, tableColumns, UNREADABLE } from './readers/kipris-tables.js';
import type { Unit } from './readers/reader.js';
import { splitLines } from './split.js';
import { type Bytes, UnpackError } from './unpack.js';

interface Table {
  columns: string[];
}

/** A row as in its table. It is parsed when its application is returned. */
interface StoredRow {
  table: Table;
  bytes: Uint8Array;
}

/** A row begins with an application number. Every other line continues the row before it. */
const ROW = /^\d{13}\u00b6|^\d{13}\u00c2\u00b6|^\d{13}\u00a2\u00d2/;
const KEY_BYTES = 13;

/** The tables of one folder. */
export class JoinedTables {
  readonly #rows = new Map<string, StoredRow[]>();
  #bytes = 0;

  constructor(
    /** The folder, or the archive and the folder within it. */
    readonly file: string,
    /** As `Unit.folder`. */
    readonly folder: string,
    readonly maxBytes: number = JOINED_TABLES_MAX_BYTES,
  ) {}

  /** Adds a table. Returns false if the reader does not use tables with these columns. */
  async add(stream: Bytes): Promise<boolean> {
    let table: Table | undefined;
    let last: StoredRow | undefined;
    for await (const { bytes } of splitLines(stream)) {
      if (bytes === undefined) continue;
      if (table === undefined) {
        const columns = tableColumns(bytes);
        if (columns === undefined || !isReadTable(columns)) return false;
        table = { columns };
        continue;
      }
      this.#bytes += bytes.length;
      if (this.#bytes > this.maxBytes) {
        this.#rows.clear();
        throw new UnpackError(
          `the tables of this folder hold more than ${this.maxBytes} bytes, which is as much as can be joined; ` +
            'split all of them by ranges of application numbers into folders of their own',
        );
      }
      const opening = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString(
        'latin1',
      );
      if (ROW.test(opening)) {
        last = { table, bytes };
        const key = opening.slice(0, KEY_BYTES);
        const rows = this.#rows.get(key);
        if (rows) rows.push(last);
        else this.#rows.set(key, [last]);
      } else if (last) last.bytes = Buffer.concat([last.bytes, Buffer.from('\n'), bytes]);
    }
    return true;
  }

  /** Returns one unit per application, in the order of the first table, and empties the tables. */
  *units(format: string): Generator<Unit> {
    for (const [key, rows] of this.#rows) {
      const objects = rows.map(({ table, bytes }) => {
        const cells = koreanText(bytes)?.split('¶');
        if (cells === undefined) return { [UNREADABLE]: '' };
        return Object.fromEntries(table.columns.map((name, at) => [name, cells[at] ?? '']));
      });
      this.#rows.delete(key);
      const bytes = new Uint8Array(Buffer.from(JSON.stringify(objects)));
      yield { file: this.file, folder: this.folder, position: `application ${key}`, format, bytes };
    }
  }
}

/** Tables in progress: one set per folder, on disk or in an archive. */
export class TableFolders {
  /** The folder on disk that is read now. */
  folder: string | undefined;
  /** Files of the folder that are tables. An archive holds all tables of its own set. */
  readonly joined = new Set<string>();
  readonly #sets = new Map<string, JoinedTables>();

  async add(place: Place, stream: Bytes): Promise<boolean> {
    const inner =
      place.entries.length > 0 ? [...place.entries.slice(0, -1), dirname(place.entries.at(-1) ?? '')] : [];
    const file = place.entries.length > 0 ? place.file : dirname(place.file);
    const key = [file, ...inner].join('\0');
    const tables = this.#sets.get(key) ?? new JoinedTables(file, folderOf(place));
    this.#sets.set(key, tables);
    if (place.entries.length === 0) this.joined.add(place.file);
    return tables.add(stream);
  }

  get isEmpty(): boolean {
    return this.#sets.size === 0;
  }

  *units(): Generator<Unit> {
    for (const tables of this.#sets.values()) yield* tables.units(kiprisTables.format);
    this.#sets.clear();
  }
}
