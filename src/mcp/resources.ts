/** Patents, drawings and the coverage document as resources, for people who attach them in their client. */
import { PriorartError } from '../errors.js';
import { MCP_IMAGE_MAX_BYTES, MCP_TOKENS } from '../limits.js';
import type { CallOptions, PatentApi } from './api.js';
import { lengthWithin } from './budget.js';
import { NOTICE } from './notice.js';

const COVERAGE = 'coverage://index';

export const RESOURCES = [
  {
    uri: COVERAGE,
    name: 'coverage',
    title: 'What the index holds',
    description: 'Publications by country and kind, first and last dates, languages',
    mimeType: 'application/json',
  },
] as const;

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'patent://{patent_id}',
    name: 'patent',
    title: 'Patent',
    description: 'A patent as Markdown, by publication number in any spelling',
    mimeType: 'text/markdown',
  },
  {
    uriTemplate: 'drawing://{publication_id}/{filename}',
    name: 'drawing',
    title: 'Drawing of a patent',
    description: 'An image, by the names that answers show',
    mimeType: 'image/webp',
  },
] as const;

export type Content = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/**
 * Reads a resource.
 * @throws PriorartError `not_found` for an unknown address; and the errors of the call
 */
export async function readResource(uri: string, api: PatentApi, options: CallOptions): Promise<Content> {
  if (uri === COVERAGE) {
    return { uri, mimeType: 'application/json', text: JSON.stringify(await api.coverage(options)) };
  }
  const [scheme, parts] = partsOf(uri);
  if (scheme === 'patent' && parts.length === 1) return readPatent(uri, parts[0]!, api, options);
  if (scheme === 'drawing' && parts.length === 2) {
    const image = await (await api.drawing(parts[0]!, parts[1]!, options)).image();
    if (image.length > MCP_IMAGE_MAX_BYTES) {
      throw new PriorartError('body_too_large', `the image has more than ${MCP_IMAGE_MAX_BYTES} bytes`);
    }
    return { uri, mimeType: 'image/webp', blob: Buffer.from(image).toString('base64') };
  }
  const known = [COVERAGE, ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate)].join(', ');
  throw new PriorartError('not_found', `there is no such resource; expected one of ${known}`);
}

/** Scheme and decoded parts of an address; no parts if it is malformed. */
function partsOf(uri: string): [scheme: string, parts: string[]] {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/([^?#]{1,500})$/.exec(uri) ?? [];
  try {
    const parts = rest.split('/').map(decodeURIComponent);
    return [scheme, parts.includes('') ? [] : parts];
  } catch {
    return [scheme, []];
  }
}

async function readPatent(uri: string, id: string, api: PatentApi, options: CallOptions): Promise<Content> {
  const { patents } = await api.details({ patent_ids: [id] }, options);
  const { error, content = '', candidates = [] } = patents[0]!;
  if (error !== undefined) {
    const which = candidates.length > 0 ? `; it fits ${candidates.join(', ')}` : '';
    throw new PriorartError('not_found', `no patent has exactly this number${which}`);
  }
  const length = lengthWithin(content, MCP_TOKENS.fetch);
  const end =
    length < content.length ? `\n\n(${content.length - length} more characters: use get_patents)\n` : '';
  return { uri, mimeType: 'text/markdown', text: `> ${NOTICE}\n\n${content.slice(0, length)}${end}` };
}
