/** OpenAPI operations of drawings and their links. */
import { z } from 'zod';
import { drawingSchema } from '../../../search/schema.js';
import { INTERNAL, LIMITS, NOT_CHANGED, TOO_MANY_OF_ADDRESS, UNAVAILABLE } from '../../openapi/answers.js';
import { errorAnswer as error, type Operation, type Parameter } from '../../openapi/operation.js';

/** A parameter of the path, from its schema. */
function inPath(name: keyof typeof drawingSchema.shape): Parameter {
  const { $schema: _, description = '', ...schema } = z.toJSONSchema(drawingSchema.shape[name]);
  return { name, in: 'path', description, schema, required: true };
}

export const redirectOperation: Operation = {
  id: 'drawing',
  tag: 'Documents',
  summary: 'A drawing',
  description:
    'Redirects to the image, under a new link each time, which works for some minutes. Keep images ' +
    'by publication_id and filename, not by the link.',
  parameters: [inPath('publication_id'), inPath('filename')],
  answers: {
    302: { description: 'Where the image is now', headers: ['Location', 'Cache-Control', ...LIMITS] },
    400: error(['bad_drawing_extension'], 'The extension is not one of .webp, .jpg, .jpeg, .png', ...LIMITS),
    404: error({ not_found: 'there is no such drawing' }, 'There is no such drawing', ...LIMITS),
    429: TOO_MANY_OF_ADDRESS,
    500: INTERNAL,
    503: UNAVAILABLE,
  },
};

export const fileOperation: Operation = {
  id: 'drawingFile',
  tag: 'Documents',
  summary: 'An image that a drawing redirected to',
  description: 'Serves drawings of the data folder; with a bucket, links lead there instead.',
  parameters: [
    {
      name: 'file',
      in: 'path',
      description: 'As in the link',
      schema: { type: 'string', minLength: 1 },
      required: true,
    },
    ...(['expires', 'nonce', 'signature'] as const).map(
      (name): Parameter => ({
        name,
        in: 'query',
        description: 'As in the link',
        schema: { type: 'string' },
      }),
    ),
    {
      name: 'Range',
      in: 'header',
      description: 'One range of bytes, such as bytes=0-1023',
      schema: { type: 'string' },
    },
  ],
  answers: {
    200: {
      description: 'The image',
      content: { type: 'image/webp' },
      headers: ['ETag', 'Cache-Control', 'Accept-Ranges', ...LIMITS],
    },
    206: {
      description: 'A part of the image',
      content: { type: 'image/webp' },
      headers: ['ETag', 'Cache-Control', 'Accept-Ranges', 'Content-Range', ...LIMITS],
    },
    304: NOT_CHANGED,
    403: error(['link_invalid'], 'The link is not valid, or has expired', ...LIMITS),
    404: error({ not_found: 'there is no such image' }, 'The image is gone', ...LIMITS),
    416: error(['range_not_satisfiable'], 'The range is beyond the image', 'Content-Range', ...LIMITS),
    429: TOO_MANY_OF_ADDRESS,
    500: INTERNAL,
    503: UNAVAILABLE,
  },
};
