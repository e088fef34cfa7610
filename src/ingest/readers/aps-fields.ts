/**
 * Lines of the APS format (Green Book) of the USPTO: a tag in the first four columns, and a value from the
 * sixth. Lines that begin with a blank continue the field. A tag of four letters without a value begins a
 * group (`INVT`). Source: USPTO, Patent Full-Text/APS File.
 */
import { dotCodesRead } from './dot-codes.js';

/** Column of the value. */
const VALUE_AT = 5;
/** Three letters or digits and two blanks, or four and one. */
const TAG = /^(?:[A-Z][A-Z0-9]{2}(?= {2}|\s*$)|[A-Z][A-Z0-9]{3}(?= |$))/;
const GROUP = /^[A-Z]{4}$/;

/** One field: its tag, and the lines of its value with the blanks of their columns. */
export interface ApsField {
  tag: string;
  lines: string[];
}

/** A group of fields, such as one inventor. */
export interface ApsGroup {
  name: string;
  fields: ApsField[];
}

/** Entities that some files have instead of these characters. */
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** A text with its special characters. */
function readable(text: string): string {
  return dotCodesRead(text).replace(/&(lt|gt|amp|quot);/g, (all, name: string) => ENTITIES[name] ?? all);
}

/** The text of a field in one line. */
export function oneLine({ lines }: ApsField): string {
  const joined = lines.map((line) => line.trim()).join(' ');
  return readable(joined).replace(/\s+/g, ' ').trim();
}

/**
 * The rows of a table or formula. Lines without text are rules.
 * @param border what parts two cells, which are two blanks or more apart
 */
export function rowsOf({ lines }: ApsField, border: string): string {
  const rows = lines.map((line) =>
    line
      .trim()
      .split(/\s{2,}/)
      .join(border),
  );
  return readable(rows.filter((row) => /[^\s_=|-]/.test(row)).join('\n'));
}

/** The groups of a document, in order. Fields before the first group are left out. */
function groupsOf(text: string): ApsGroup[] {
  const groups: ApsGroup[] = [];
  let field: ApsField | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trimEnd();
    const tag = TAG.exec(line)?.[0];
    if (tag === undefined) {
      if (line !== '') field?.lines.push(line.replace(/^\s{1,5}/, ''));
    } else if (line === tag && GROUP.test(tag)) {
      groups.push({ name: tag, fields: [] });
      field = undefined;
    } else {
      field = { tag, lines: [line.slice(VALUE_AT)] };
      groups.at(-1)?.fields.push(field);
    }
  }
  return groups;
}

/** The fields of one document, by group. */
export class ApsDocument {
  readonly groups: readonly ApsGroup[];

  constructor(text: string) {
    this.groups = groupsOf(text);
  }

  /** All groups with one of these names. */
  named(...names: string[]): ApsGroup[] {
    return this.groups.filter(({ name }) => names.includes(name));
  }

  /** The values of some fields of a group, in order, without empty ones. */
  all(group: string, ...tags: string[]): string[] {
    return this.named(group)
      .flatMap(({ fields }) => fields.filter(({ tag }) => tags.includes(tag)).map(oneLine))
      .filter(Boolean);
  }

  /** The first value of a field. */
  first(group: string, tag: string): string | undefined {
    return this.all(group, tag)[0];
  }

  /** Values of fixed columns. Blanks at their beginning count. */
  columns(group: string, ...tags: string[]): string[] {
    return this.named(group).flatMap(({ fields }) =>
      fields.filter(({ tag }) => tags.includes(tag)).map(({ lines }) => lines[0] ?? ''),
    );
  }
}

/** The values of a group by tag; the first of each. */
export function valuesOf({ fields }: ApsGroup): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of fields) found[field.tag] ??= oneLine(field);
  return found;
}
