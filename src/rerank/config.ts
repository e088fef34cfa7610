/** Configuration of the rerankers that need only the package. */
import { z } from 'zod';

/** Late interaction over the pieces of a static model: that of the package, or a file in the same format. */
export const staticRerankerSchema = z.strictObject({
  kind: z.literal('static'),
  file: z.string({ error: 'path of a static model file' }).min(1).optional(),
});

/** No reranking: results are ordered by similarity. */
export const noRerankerSchema = z.strictObject({ kind: z.literal('none') });
