/** Configuration fields of every embedder, and those of the static embedder. */
import { z } from 'zod';

/** How cosines of this model are converted to the similarity shown. `priorart calibrate` measures it. */
export const calibrationSchema = z.strictObject(
  {
    midpoint: z.number({ error: 'a cosine from -1 to 1' }).min(-1).max(1),
    slope: z.number({ error: 'a steepness greater than 0' }).positive(),
  },
  { error: '{"midpoint": cosine shown as 0.5, "slope": steepness}' },
);

/** The static model of the package, or a file in the same format (models/static/FORMAT.md). */
export const staticEmbedderSchema = z.strictObject({
  kind: z.literal('static'),
  file: z.string({ error: 'path of a static model file' }).min(1).optional(),
  calibration: calibrationSchema.optional(),
});

export type StaticEmbedderConfig = z.infer<typeof staticEmbedderSchema>;
