/** `search` and `fetch`: short forms for clients that look for tools with exactly these names. */
import { z } from 'zod';
import { MCP_SEARCH_RESULTS, MCP_TOKENS } from '../../limits.js';
import { text } from '../../search/fields.js';
import { querySchema, semanticSchema } from '../../search/schema.js';
import { entryOf, patentUri, shownEntries } from './documents.js';
import { checked, type Row, refuseHidden, type Tool } from './tool.js';

export const search: Tool = {
  name: 'search',
  title: 'Search (short form)',
  description:
    'Short form of search_patents for clients that look for tools named search and fetch: the ten best patents for a query.',
  input: z.strictObject({ query: querySchema.describe('Natural-language query in sentence form') }),
  output: z.strictObject({
    results: z.array(
      z.strictObject({
        id: z.string().describe('patent_id, for fetch'),
        title: z.string().describe('Title and applicant'),
        url: z.string().describe('Resource of the patent'),
      }),
    ),
  }),
  async run(given, api, options) {
    refuseHidden(search.input, given, Object.keys(semanticSchema.shape));
    const { results } = await api.search({ ...given, top_k: MCP_SEARCH_RESULTS }, options);
    return {
      structured: {
        results: results.map(({ patent_id, title, applicant }) => ({
          id: patent_id,
          title: [title || patent_id, applicant].filter(Boolean).join(' — '),
          url: patentUri(patent_id),
        })),
      },
    };
  },
};

/** How to read on behind the beginning of a document. */
const restOf = (shown: string) =>
  `Read on with get_patents: this id as the only one of patent_ids, and offset ${shown.length}`;

const idSchema = z.strictObject({
  id: text('a publication number').describe('patent_id of a result of search, or a publication number'),
});

export const fetchPatent: Tool = {
  name: 'fetch',
  title: 'Fetch (short form)',
  description:
    'Short form of get_patents for clients that look for tools named search and fetch: a patent, or the ' +
    'beginning of a very long one.',
  input: idSchema,
  output: z.strictObject({
    id: z.string().describe('patent_id'),
    title: z.string().describe('Title'),
    text: z.string().describe('The document as Markdown'),
    url: z.string().describe('Resource of the patent'),
    metadata: z.record(z.string(), z.unknown()).describe('Bibliographic data, and what was left out'),
  }),
  async run(given, api, options) {
    const { id } = checked(idSchema, given);
    const entry = await entryOf('id', id, undefined, api, options);
    const { patents: shown, left_out, notice } = shownEntries([entry], 0, MCP_TOKENS.fetch);
    const content = String((shown as Row[])[0]!['content'] ?? '');
    return {
      structured: {
        id: entry.patent_id,
        title: entry.metadata?.title ?? '',
        text: content,
        url: patentUri(entry.patent_id),
        metadata: {
          ...entry.metadata,
          ...(left_out === undefined ? {} : { left_out: { ...(left_out as Row), hint: restOf(content) } }),
          notice,
        },
      },
    };
  },
};
