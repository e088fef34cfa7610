/** `get_patents`, `get_drawing` and `get_coverage`. */
import { z } from 'zod';
import { isPriorartError, PriorartError } from '../../errors.js';
import { MCP_IMAGE_MAX_BYTES, MCP_TOKENS } from '../../limits.js';
import { coverageSchema, detailsEntrySchema } from '../../search/answer-schema.js';
import { oneOf } from '../../search/fields.js';
import { complaint, invalidField } from '../../search/invalid.js';
import { detailsSchema, drawingSchema } from '../../search/schema.js';
import type { DetailsEntry } from '../../search/types.js';
import type { CallOptions, Drawing, PatentApi } from '../api.js';
import { type Cut, fairShare, fitted, fitting, jsonTokens, kept, lengthWithin, tokensOf } from '../budget.js';
import { NOTICE } from '../notice.js';
import { changed, cutWithin, listCut, textCut } from './rows.js';
import {
  type Block,
  checked,
  count,
  FRAME_TOKENS,
  framed,
  leftOut,
  leftOutSchema,
  maxTokens,
  type Row,
  refuseHidden,
  type Tool,
  taken,
} from './tool.js';

const offset = z
  .int({ error: 'an integer from 0' })
  .min(0, { error: 'an integer from 0' })
  .nullish()
  .describe(
    'Where to begin in content, in characters: next_offset of the answer before, with the same sections. Only with one ' +
      'number',
  )
  .meta({ default: 0 });
const DETAILS_OWN = z.object({ offset, max_tokens: maxTokens });

/** The tool has no bibliography: citations of one patent may be thousands of tokens. */
const shownEntry = detailsEntrySchema.omit({ bibliography: true }).extend({
  next_offset: count().describe(
    'Where content goes on: give it as offset, with the same sections; absent at the end',
  ),
});

/** Tokens of a document without its content. */
function headTokens({ content: _, ...head }: DetailsEntry): number {
  return jsonTokens(head) + 20;
}

/** How the first document is shortened if not even its bibliographic data fit. */
const ENTRY_CUTS: readonly Cut<Row>[] = [
  listCut('candidates'),
  cutWithin('metadata', listCut('ipc_codes')),
  cutWithin('metadata', textCut('applicant')),
  cutWithin('metadata', textCut('title')),
];

/** What is shown of the content of a document, and its tokens. */
interface Text {
  text: string | undefined;
  tokens: number;
}

/** Documents with as much of their contents as the tokens allow. Small documents leave room to large ones. */
export function shownEntries(entries: readonly DetailsEntry[], from: number, tokens: number): Row {
  const texts = entries.map(({ content }): Text => {
    const text = content?.slice(from);
    return { text, tokens: tokensOf(text ?? '') };
  });
  return kept(tokens, (budget) => within(entries, texts, from, budget - FRAME_TOKENS));
}

function within(given: readonly DetailsEntry[], texts: readonly Text[], from: number, budget: number): Row {
  const { content, ...first } = given[0]!;
  // Content gets half of the tokens if it needs them, so that a client that reads on comes to the end.
  const reserved = Math.min(texts[0]!.tokens, Math.floor(budget / 2));
  const short = fitted<Row>({ ...first }, budget - 20 - reserved, ENTRY_CUTS);
  const fields = changed({ ...first }, short);
  const entries = [
    { ...short, ...(content === undefined ? {} : { content }) } as unknown as DetailsEntry,
    ...given.slice(1),
  ];
  const heads = entries.map(headTokens);
  const shown = entries.slice(0, fitting(heads, budget));
  const left = budget - heads.slice(0, shown.length).reduce((sum, head) => sum + head, 0);
  const share = fairShare(
    texts.slice(0, shown.length).map((text) => text.tokens),
    left,
  );
  let characters = 0;
  const patents = shown.map((entry, n): Row => {
    const { text } = texts[n]!;
    if (text === undefined) return { ...entry };
    const length = Math.max(firstCharacter(text), lengthWithin(text, share));
    if (length === text.length) return { ...entry, content: text };
    characters += text.length - length;
    return { ...entry, content: text.slice(0, length), next_offset: from + length };
  });
  const hint =
    'Ask for one number and the same sections with offset next_offset; or for fewer numbers or sections; or give a larger ' +
    'max_tokens';
  const results = entries.length - shown.length;
  return { patents, ...leftOut({ results, characters, fields }, hint), notice: NOTICE };
}

/** Length of the first character in UTF-16 code units; 0 without one. Every part of a document has at least this. */
function firstCharacter(text: string): number {
  const [first = ''] = text;
  return first.length;
}

export const getPatents: Tool = {
  name: 'get_patents',
  title: 'Read patents',
  description:
    'Reads whole documents by publication number in any spelling, as Markdown with bibliographic data. sections "claims" ' +
    'gives the claims only. A document that does not fit into max_tokens goes on at next_offset. Costs no search of the ' +
    'quota.',
  input: detailsSchema.omit({ bibliography: true }).extend(DETAILS_OWN.shape),
  output: z.strictObject({
    patents: z.array(shownEntry).describe('One entry for each number, in the order of the request'),
    ...framed,
  }),
  async run(given, api, options) {
    refuseHidden(getPatents.input, given, ['bibliography']);
    const { own, request } = taken(DETAILS_OWN, given);
    const numbers = request['patent_ids'];
    if (own.offset && Array.isArray(numbers) && numbers.length > 1) {
      throw invalidField('offset', own.offset, 'it with one number in patent_ids');
    }
    const { patents } = await api.details(request, options);
    const length = patents[0]?.content?.length;
    if (own.offset && length !== undefined && own.offset >= length) {
      throw invalidField('offset', own.offset, `less than ${length}, the characters of content`);
    }
    const tokens = own.max_tokens ?? MCP_TOKENS.default;
    return { structured: shownEntries(patents, own.offset ?? 0, tokens) };
  },
};

/**
 * A stored document.
 * @param field of the request that names it
 * @throws PriorartError `not_found` if no document has the number, `invalid_request` if several have it
 */
export async function entryOf(
  field: string,
  id: string,
  sections: string | undefined,
  api: PatentApi,
  options: CallOptions,
): Promise<DetailsEntry> {
  const { patents } = await api.details(
    { patent_ids: [id], ...(sections === undefined ? {} : { sections }) },
    options,
  );
  const { error, candidates } = patents[0]!;
  if (error === undefined) return patents[0]!;
  if (candidates) throw invalidField(field, id, `one of ${candidates.join(', ')}`);
  throw new PriorartError('not_found', complaint(field, id, 'the number of a stored publication'));
}

const DRAWING_OWN = z.object({
  as: oneOf(['image', 'link'])
    .nullish()
    .describe('image: the image itself, to look into it. link: only its address')
    .meta({ default: 'image' }),
});
const DRAWING_INPUT = drawingSchema.extend({
  filename: drawingSchema.shape.filename
    .nullish()
    .describe(
      'representative_figure of an answer, or the last part of an image link in content. When absent, the representative ' +
        'drawing',
    ),
});
const IMAGE_TYPE = 'image/webp';

/** @throws PriorartError `invalid_request`, `not_found` also if it has no representative drawing */
async function representativeOf(id: string, api: PatentApi, options: CallOptions): Promise<string> {
  const { representative_figure: figure } = await entryOf('publication_id', id, 'title', api, options);
  if (figure !== undefined) return figure;
  throw new PriorartError(
    'not_found',
    `${id} has no representative drawing; name one of its others, if content has any`,
  );
}

/** The address of a drawing as a resource of this interface. */
export function drawingUri(publication: string, file: string): string {
  return `drawing://${encodeURIComponent(publication)}/${encodeURIComponent(file)}`;
}

/** The image of a drawing; undefined if it is too large to be read. */
async function imageOf(drawing: Drawing): Promise<Uint8Array | undefined> {
  try {
    return await drawing.image();
  } catch (error) {
    if (isPriorartError(error) && error.code === 'body_too_large') return undefined;
    throw error;
  }
}

export const getDrawing: Tool = {
  name: 'get_drawing',
  title: 'See a drawing',
  description:
    'Shows a drawing of a patent. Without filename, the representative drawing. Take publication_id (a patent_id) from the ' +
    'answer of another tool, and filename from an image link in content.',
  input: DRAWING_INPUT.extend(DRAWING_OWN.shape),
  output: z.strictObject({
    publication_id: drawingSchema.shape.publication_id,
    filename: drawingSchema.shape.filename,
    mime_type: z.string().describe('Type of the image'),
    bytes: count().describe('Size of the image; absent if only its link is given'),
    link: z
      .exactOptional(z.string())
      .describe('Address of the image for people; absent if no server serves it'),
    left_out: z
      .exactOptional(z.strictObject({ hint: leftOutSchema.shape.hint }))
      .describe('Present if the image is too large for an answer'),
    notice: framed.notice,
  }),
  async run(given, api, options) {
    const { own, request } = taken(DRAWING_OWN, given);
    const asked = checked(DRAWING_INPUT, request);
    const { publication_id } = asked;
    const filename = asked.filename ?? (await representativeOf(publication_id, api, options));
    // Without a name, the look-up of the name was the call that is logged.
    const further = asked.filename == null ? { ...options, continues: true as const } : options;
    const drawing = await api.drawing(publication_id, filename, further);
    const uri = drawing.link ?? drawingUri(publication_id, filename);
    const about = {
      ...{ publication_id, filename, mime_type: IMAGE_TYPE },
      ...(drawing.link === undefined ? {} : { link: drawing.link }),
    };
    const link: Block = { type: 'resource_link', uri, name: filename, mimeType: IMAGE_TYPE };
    if (own.as === 'link') return { structured: { ...about, notice: NOTICE }, blocks: [link] };
    const image = await imageOf(drawing);
    const structured = { ...about, ...(image ? { bytes: image.length } : {}), notice: NOTICE };
    if (image === undefined || image.length > MCP_IMAGE_MAX_BYTES) {
      const hint = `The image has more than ${MCP_IMAGE_MAX_BYTES} bytes: open its link`;
      return { structured: { ...structured, left_out: { hint } }, blocks: [link] };
    }
    const data = Buffer.from(image).toString('base64');
    return { structured, blocks: [{ type: 'image', data, mimeType: IMAGE_TYPE }, link] };
  },
};

export const getCoverage: Tool = {
  name: 'get_coverage',
  title: 'What the index holds',
  description:
    'Says what can be found: publications by country and kind, first and last dates, languages. Ask it before you conclude ' +
    'that something does not exist.',
  input: z.strictObject({}),
  output: coverageSchema,
  async run(given, api, options) {
    const [name] = Object.keys(given);
    if (name !== undefined) throw invalidField(name, given[name], 'no arguments');
    return { structured: { ...(await api.coverage(options)) } };
  },
};

/** The address of a patent as a resource of this interface. */
export function patentUri(patentId: string): string {
  return `patent://${encodeURIComponent(patentId)}`;
}
