/** The model file for tests of the static model: the shipped one, or PRIORART_TEST_MODEL. */
import { existsSync } from 'node:fs';
import { STATIC_MODEL } from '../../src/embed/static.js';

export const MODEL = process.env['PRIORART_TEST_MODEL'] ?? STATIC_MODEL;

/** `skip` of a test that needs the file. */
export const noModel = existsSync(MODEL) ? false : `no model at ${MODEL}`;
