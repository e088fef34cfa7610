/** Configuration of an embedder on a server. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HTTP_EMBEDDER } from '../../limits.js';
import { integerField, templateField, textField } from '../../onnx/settings.js';
import { NEUTRAL_CALIBRATION } from '../calibration.js';
import { calibrationSchema } from '../config.js';

const ranged = ({ min, max }: { min: number; max: number }) => integerField(min, max).optional();

const URL_EXPECTED =
  'the whole address of the endpoint, http or https, without user and password, such as http://gpu:8080/v1/embeddings';

export const httpEmbedderSchema = z.strictObject({
  kind: z.literal('http'),
  url: z.string({ error: URL_EXPECTED }).refine(isEndpoint, { error: URL_EXPECTED }),
  /** `openai`: POST {model, input} as /v1/embeddings; `tei`: POST {inputs} as /embed of text-embeddings-inference. */
  protocol: z.enum(['openai', 'tei'], { error: 'openai or tei' }),
  /** The model's name on the server. Not needed by a server of a single model. */
  model: textField('name of the model on the server', 200).optional(),
  /** Name of the environment variable that holds the key. The key itself is not stored. */
  keyVariable: z
    .string({ error: 'name of an environment variable' })
    .regex(/^[A-Za-z_]\w*$/, { error: 'name of an environment variable, not the key itself' })
    .optional(),
  /** Header that carries the bare key, such as api-key. Default: `Authorization: Bearer`. */
  keyHeader: z
    .string({ error: 'name of a header' })
    .regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'name of a header' })
    .optional(),
  /** Identity: an index belongs to one name, version and number of dimensions. */
  name: textField('a name', 200).optional(),
  version: textField('a version', 200).optional(),
  /** Dimensions of the vectors that the server returns. */
  dimensions: integerField(1, HTTP_EMBEDDER.dimensionsMax),
  /** Keeps the first dimensions only. For models trained for it (Matryoshka). */
  truncatedDimensions: integerField(1, HTTP_EMBEDDER.dimensionsMax).optional(),
  /** Templates of the model's input for a query and for a passage, as for ONNX. */
  query: templateField(['text'], ['task']).optional(),
  document: templateField(['text'], ['title', 'task']).optional(),
  task: textField('a sentence that describes the search').optional(),
  emptyTitle: z.string({ error: 'a text' }).max(100).optional(),
  /** Maximum characters of a text sent at once. A longer text is sent in parts, whose vectors are averaged. */
  windowChars: ranged(HTTP_EMBEDDER.windowChars),
  /** Maximum texts and characters of one request. */
  batchTexts: ranged(HTTP_EMBEDDER.batchTexts),
  batchChars: ranged(HTTP_EMBEDDER.batchChars),
  /** Requests that each worker has in flight. */
  concurrency: ranged(HTTP_EMBEDDER.concurrency),
  timeoutMs: ranged(HTTP_EMBEDDER.timeoutMs),
  /** openai: encoding of the vectors. base64 needs a quarter of the bytes. */
  encoding: z.enum(['float', 'base64'], { error: 'float or base64' }).optional(),
  calibration: calibrationSchema.optional(),
});

export type HttpEmbedderConfig = z.infer<typeof httpEmbedderSchema>;
export type HttpEmbedderSettings = ReturnType<typeof settingsOf>;

/** Fills in the defaults. */
export function settingsOf(config: HttpEmbedderConfig) {
  const settings = {
    ...config,
    truncatedDimensions: Math.min(config.truncatedDimensions ?? config.dimensions, config.dimensions),
    query: config.query ?? '{text}',
    document: config.document ?? '{text}',
    task: config.task ?? '',
    emptyTitle: config.emptyTitle ?? '',
    windowChars: config.windowChars ?? HTTP_EMBEDDER.windowChars.default,
    batchTexts: config.batchTexts ?? HTTP_EMBEDDER.batchTexts.default,
    batchChars: config.batchChars ?? HTTP_EMBEDDER.batchChars.default,
    concurrency: config.concurrency ?? HTTP_EMBEDDER.concurrency.default,
    timeoutMs: config.timeoutMs ?? HTTP_EMBEDDER.timeoutMs.default,
    encoding: config.encoding ?? ('float' as const),
    calibrated: config.calibration !== undefined,
    calibration: config.calibration ?? NEUTRAL_CALIBRATION,
  };
  return {
    ...settings,
    name: config.name ?? config.model ?? 'http',
    version: config.version ?? fingerprint(settings),
  };
}

/** Hash of the settings that change vectors. The address is not part of it, because a server may move. */
function fingerprint(settings: Omit<HttpEmbedderConfig, 'kind'>): string {
  const { model, dimensions, truncatedDimensions, query, document, task, emptyTitle, windowChars } = settings;
  const known = [model, dimensions, truncatedDimensions, query, document, task, emptyTitle, windowChars];
  return createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 12);
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}
