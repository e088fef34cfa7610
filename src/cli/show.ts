import type { Command } from 'commander';
import { claimedPriority } from '../patent/priority.js';
import type { Claim, Name, Patent, Section } from '../patent/record.js';
import { shownAbstract, shownClaims, shownDescription } from '../patent/shown-texts.js';
import { resolveShown } from '../store/resolve.js';
import { dataCommand, OF_A_CLUSTER, withSettings } from './options.js';
import { count, counted, print } from './output.js';
import { openPublications, tellAmbiguous, tellMissing } from './publications.js';
import { writtenRecord } from './written-record.js';

/** Columns of a line of text. */
const LINE_CHARS = 100;
/** Columns for the name of a fact. */
const FACT_CHARS = 12;
/** Citations in the text output; `--json` has all. */
const SHOWN_CITATIONS = 20;

export function showCommand(): Command {
  const command = dataCommand('show', 'show whole publications: bibliography, abstract, claims as a tree')
    .argument('<numbers...>', 'publication numbers in any spelling')
    .option('--description', 'also print the description')
    .addHelpText(
      'after',
      `
With --json, each record is a line of JSON in the format of \`export\` and \`ingest\`. The records that are
found are printed in any case. The number of an international application or of its publication shows the
national publication that rests on it. Exit code 1 if a number is not in the index, 2 if one fits several publications.

Examples:
  priorart show KR1020200104349A
  priorart show "US 9,971,313 B2" --description
  priorart show "WO 2019/135546 A1"
  priorart show EP03893001A1 EP03893001B1 --json`,
    )
    .action(run);
  return withSettings(command, OF_A_CLUSTER);
}

async function run(numbers: string[], flags: Record<string, unknown>): Promise<void> {
  const publications = await openPublications(flags);
  try {
    const fitting = await publications.look((index) =>
      numbers.map((number) => ({ number, ids: resolveShown(index, number) })),
    );
    const named = fitting.flatMap(({ ids }) => (ids.length === 1 ? ids : []));
    const records = await publications.records(named);
    const found = records.filter((record) => record !== undefined);
    for (const [n, record] of found.entries()) {
      if (n > 0 && flags['json'] !== true) process.stdout.write('\n');
      print(writtenRecord(record), flags['json'] === true, () =>
        recordText(record, flags['description'] === true),
      );
    }
    tellMissing([
      ...fitting.flatMap(({ number, ids }) => (ids.length === 0 ? [number] : [])),
      // Deleted meanwhile.
      ...named.filter((_, n) => records[n] === undefined),
    ]);
    tellAmbiguous(fitting.filter(({ ids }) => ids.length > 1));
  } finally {
    await publications.close();
  }
}

/** A record as text. */
export function recordText(patent: Patent, withDescription: boolean): string {
  const blocks = [
    [patent.patent_id, patent.title].filter(Boolean).join('  '),
    ...Object.entries(patent.titles ?? {}).map(([language, title]) => `(${language}) ${title}`),
    factsText(patent),
    ...textBlock('Abstract', shownAbstract(patent)),
    ...claimsBlock(shownClaims(patent) ?? []),
    ...descriptionBlock(shownDescription(patent) ?? [], withDescription),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function factsText(patent: Patent): string {
  const { priorities, citations, drawings } = patent;
  const facts: [string, string | undefined][] = [
    ['filed', patent.filing_date],
    ['published', patent.publication_date],
    ['granted', patent.grant_date],
    ['priority', claimedPriority(patent)],
    [
      'priorities',
      listText(
        priorities?.map(({ country, number, date }) => [country, number, date].filter(Boolean).join(' ')),
      ),
    ],
    ['application', patent.application_number],
    ['family', patent.family_id && `${patent.family_id}${patent.family_derived ? ' (derived)' : ''}`],
    ['applicants', listText(patent.applicants?.map(nameText))],
    ['inventors', listText(patent.inventors?.map(nameText))],
    ['IPC', listText(patent.ipc_codes)],
    ['CPC', listText(patent.cpc_codes)],
    ['Locarno', listText(patent.locarno_codes)],
    ['corrects', listText(patent.corrects)],
    ['cites', citesText(citations)],
    [
      'drawings',
      drawings && `${count(drawings.length)}: ${drawings[0]?.file}${drawings.length > 1 ? ', …' : ''}`,
    ],
    ['partial', patent.partial ? 'only a part of the publication has been ingested' : undefined],
  ];
  return facts
    .flatMap(([name, value]) =>
      value ? [name.padEnd(FACT_CHARS) + wrapped(value, ' '.repeat(FACT_CHARS))] : [],
    )
    .join('\n');
}

function listText(entries: readonly string[] | undefined): string | undefined {
  return entries && entries.length > 0 ? entries.join('; ') : undefined;
}

function nameText({ name, name_en }: Name): string {
  return name_en && name_en !== name ? `${name} (${name_en})` : name;
}

function citesText(citations: Patent['citations']): string | undefined {
  const shown = citations
    ?.slice(0, SHOWN_CITATIONS)
    .map(({ patent_id, country, number, kind, category, text }) =>
      [patent_id ?? (text || [country, number, kind].filter(Boolean).join(' ')), category && `[${category}]`]
        .filter(Boolean)
        .join(' '),
    );
  const more = (citations?.length ?? 0) - (shown?.length ?? 0);
  return listText(more > 0 ? [...(shown ?? []), `and ${count(more)} more`] : shown);
}

function textBlock(heading: string, text: string | undefined): string[] {
  return text ? [`${heading}\n${wrapped(text, '')}`] : [];
}

interface ClaimNode {
  claim: Claim;
  children: ClaimNode[];
}

/**
 * Claims as a tree: each claim is below the first claim that it depends on. Numbers may be there several times, since a European
 * patent may have a set of claims for each of some states: the latest claim before it counts.
 */
function claimsBlock(claims: readonly Claim[]): string[] {
  if (claims.length === 0) return [];
  const nodes = new Map<number, ClaimNode>();
  const tops: ClaimNode[] = [];
  for (const claim of claims) {
    const node = { claim, children: [] };
    const parent = parentOf(claim, nodes);
    (parent === undefined ? tops : nodes.get(parent)!.children).push(node);
    nodes.set(claim.number, node);
  }
  return [`Claims\n${branches(tops)}`];
}

/**
 * The parent of a claim: the first claim that it depends on. Dependencies on later claims are ignored, since
 * they would not give a tree.
 */
function parentOf({ number, depends_on }: Claim, known: ReadonlyMap<number, unknown>): number | undefined {
  const before = (depends_on ?? []).filter((other) => other < number && known.has(other));
  return before.length === 0 ? undefined : Math.min(...before);
}

/** @param stem text before the lines of these claims; undefined for independent claims */
function branches(claims: readonly ClaimNode[], stem?: string): string {
  return claims
    .map(({ claim, children }, n) => {
      const isLast = n === claims.length - 1;
      const turn = stem === undefined ? '' : `${stem}${isLast ? '└─ ' : '├─ '}`;
      const rest = stem === undefined ? '' : `${stem}${isLast ? '   ' : '│  '}`;
      const own = turn + wrapped(claimText(claim), `${rest}${children.length > 0 ? '│  ' : '   '}`);
      return children.length === 0 ? own : `${own}\n${branches(children, rest)}`;
    })
    .join('\n');
}

function claimText({ number, text, depends_on: all = [] }: Claim): string {
  const parent = Math.min(...all.filter((other) => other < number));
  const others = all.filter((other) => other !== parent);
  return `${number}.${others.length > 0 ? ` (also claim ${others.join(', ')})` : ''} ${text}`;
}

function descriptionBlock(description: readonly Section[], isWanted: boolean): string[] {
  if (description.length === 0) return [];
  if (!isWanted) {
    const paragraphs = description.reduce((sum, section) => sum + section.paragraphs.length, 0);
    const headings = description.map(({ section }) => section).join('; ');
    return [wrapped(`Description: ${counted(paragraphs, 'paragraph')} (--description): ${headings}`, '  ')];
  }
  return description.map(({ section, paragraphs }) =>
    [
      section,
      ...paragraphs.map(({ number, text }) =>
        wrapped(number === undefined ? text : `[${String(number).padStart(4, '0')}] ${text}`, ''),
      ),
    ].join('\n'),
  );
}

/** Wraps a text. All lines but the first begin with `indent`. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  for (const given of text.split('\n')) {
    let line = lines.length === 0 ? '' : indent;
    let isEmpty = true;
    for (const word of given.split(/(?<=\S)[ \t]+/)) {
      if (!isEmpty && line.length + 1 + word.length > LINE_CHARS) {
        lines.push(line);
        line = indent + word;
      } else line += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    lines.push(line);
  }
  return lines.join('\n');
}
