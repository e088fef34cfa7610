/** Where tests of the static model find one: the shipped file, or the one that PRIORART_TEST_MODEL names. */
import { existsSync } from 'node:fs';
import { STATIC_MODEL } from '../../src/embed/static.js';

export const MODEL = process.env['PRIORART_TEST_MODEL'] ?? STATIC_MODEL;

/** `skip` of a test that needs the file. */
export const noModel = existsSync(MODEL) ? false : `no model at ${MODEL}`;
