/** Configuration of the rerankers that need nothing but the package. */
import { z } from 'zod';

/** Late interaction over the pieces of a static model: the one of the package, or a file of the same format. */
export const staticRerankerSchema = z.strictObject({
  kind: z.literal('static'),
  file: z.string({ error: 'path of a static model file' }).min(1).optional(),
});

/** No second look: the order is that of the similarity. */
export const noRerankerSchema = z.strictObject({ kind: z.literal('none') });
