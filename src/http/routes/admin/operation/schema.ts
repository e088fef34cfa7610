/** Requests and answers about the operation of a server: ingests, health, passwords. */
import { z } from 'zod';
import { newPasswordSchema } from '../../password-schema.js';

const count = () => z.int().min(0);
const ms = () => z.number().min(0);

export const passwordInputSchema = z.strictObject({ password: newPasswordSchema });

export const ingestsSchema = z.strictObject({
  running: z
    .array(
      z.strictObject({
        started: z.iso.datetime(),
        at: z.iso.datetime().describe('When these numbers held'),
        bytes_read: count(),
        total_bytes: count().describe('Bytes of all files; 0 if they are unknown'),
        documents: count().describe('Publications read'),
        failed: count(),
      }),
    )
    .describe('Ingests that run now on the data folder, in any process'),
  files: z.int().min(0).describe('Files that were read completely'),
  totals: z.strictObject({
    ingested: count(),
    updated: count(),
    unchanged: count(),
    skipped: count(),
    failed: count(),
    bytes: count(),
  }),
  latest: z
    .array(
      z.strictObject({
        path: z.string(),
        bytes: count(),
        first_read: z.iso.datetime(),
        last_read: z.iso.datetime(),
        readings: count(),
        formats: z.array(z.string()),
        ingested: count(),
        updated: count(),
        unchanged: count(),
        skipped: count(),
        failed: count(),
      }),
    )
    .describe('The files that were read last, newest first'),
});

export const healthFiguresSchema = z.strictObject({
  uptime_s: count(),
  latency: z
    .array(z.strictObject({ endpoint: z.string(), requests: count(), p50: ms(), p95: ms(), p99: ms() }))
    .describe('Since the start; percentiles in ms, estimated from a histogram'),
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
