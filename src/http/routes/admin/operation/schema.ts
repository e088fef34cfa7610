/** Requests and answers about the operation of a server: ingests, health, passwords. */
import { z } from 'zod';
import { newPasswordSchema } from '../../password-schema.js';

const count = () => z.int().min(0);
const ms = () => z.number().min(0);

export const passwordInputSchema = z.strictObject({ password: newPasswordSchema });

const outcomes = {
  ingested: count(),
  updated: count(),
  unchanged: count(),
  skipped: count(),
  failed: count(),
  bytes: count(),
};
const time = () => z.iso.datetime();

/** The greatest `offset`, more than a ledger has files. */
export const OFFSET_MAX = 1_000_000_000;
const offsetForm = `an integer from 0 to ${OFFSET_MAX}`;

export const ingestsQuerySchema = z.strictObject({
  with_failures: z.enum(['true', 'false'], { error: 'true or false' }).default('false'),
  offset: z.coerce
    .number({ error: offsetForm })
    .int(offsetForm)
    .min(0, offsetForm)
    .max(OFFSET_MAX, offsetForm)
    .default(0),
});

export const ingestsSchema = z.strictObject({
  running: z
    .array(
      z.strictObject({
        started: time(),
        at: time().describe('When these numbers held'),
        bytes_read: count(),
        total_bytes: count().describe('Bytes of all files; 0 if they are unknown'),
        documents: count().describe('Publications read'),
        failed: count(),
      }),
    )
    .describe('Ingests that run now on the data folder, in any process'),
  files: z.int().min(0).describe('Files that were read to their end, those with failures, too'),
  totals: z.strictObject(outcomes),
  runs: z
    .array(
      z.strictObject({
        started: time(),
        files: count(),
        files_with_failures: count(),
        ...outcomes,
      }),
    )
    .describe('The latest runs, newest first. A file counts for the run that read it last'),
  listed: z.int().min(0).describe('Files from which `latest` is a page: all, or those with failures'),
  latest: z
    .array(
      z.strictObject({
        path: z.string(),
        first_read: time(),
        last_read: time(),
        readings: count(),
        formats: z.array(z.string()),
        ...outcomes,
        run: z
          .exactOptional(time())
          .describe('Start of the run that read it last; absent if an older version read it'),
      }),
    )
    .describe('From `offset` on, at most 200 files, that read last first'),
});

export const ingestFailuresQuerySchema = z.strictObject({ path: z.string({ error: 'a text' }) });

export const ingestFailuresSchema = z.strictObject({
  path: z.string(),
  failed: count().describe('What could not be read of the file'),
  failures: z
    .array(
      z.strictObject({
        position: z.string().describe('Position in the file'),
        patent_id: z.exactOptional(z.string()).describe('Absent if the record does not state it'),
        reason: z.string(),
      }),
    )
    .describe('The first failures of its last reading, at most 100'),
});

export const healthFiguresSchema = z.strictObject({
  ready: z.boolean().describe('Whether calls with keys can be answered, as at /readyz'),
  missing: z.array(z.string()).describe('What is missing if not'),
  maintenance: z
    .exactOptional(z.strictObject({ since: z.iso.datetime(), retry_after: count() }))
    .describe('Absent while it is off'),
  uptime_s: count(),
  latency: z
    .array(
      z.strictObject({
        endpoint: z.string().describe('`none` for requests that reached no endpoint'),
        requests: count(),
        refused: count().describe('Answered with 4xx'),
        failed: count().describe('Answered with 5xx, but for those of maintenance'),
        maintenance: z
          .exactOptional(count())
          .describe('Refused because of maintenance; absent if there were none'),
        duration: z
          .exactOptional(z.strictObject({ p50: ms(), p95: ms(), p99: ms(), max: ms() }))
          .describe(
            'Of the requests that were neither refused nor failed, ms; absent if there are none. Percentiles are at most 0.1 % ' +
              'too high',
          ),
      }),
    )
    .describe('By endpoint, since the start'),
  pool: z
    .exactOptional(
      z.strictObject({
        workers: count(),
        parallel: count(),
        running: count(),
        waiting: count(),
        waitingMax: count(),
        shedding: z.boolean(),
        refused: count(),
      }),
    )
    .describe('Workers and their queue; absent without workers'),
  index: z
    .exactOptional(
      z.strictObject({
        generation: count(),
        documents: count(),
        passages: count(),
        segments: count(),
        bytes: count(),
      }),
    )
    .describe('Absent if the engine has no figures of its index'),
  recall: z
    .exactOptional(z.number().min(0).max(1))
    .describe('Share of the exact best ten that searches found; absent before the first check'),
  memory: z.strictObject({ resident: count(), heap: count() }).describe('Bytes'),
});
