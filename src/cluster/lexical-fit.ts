/** The numbers of the lexical score, from the code that computes it in the embedded engine. */
import { native } from '../index/native.js';

export const LEXICAL = native.lexicalFit();
