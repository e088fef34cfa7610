/**
 * The tools: one definition for every transport and revision of the protocol. Arguments and results have the fields of the
 * HTTP interface, from its schemas. `max_tokens`, `view`, `offset` and `as` exist only here.
 */
import { getCoverage, getDrawing, getPatents } from './tools/documents.js';
import { analyzePatents, searchPatents } from './tools/search.js';
import { fetchPatent, search } from './tools/short-forms.js';
import type { Tool } from './tools/tool.js';

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  searchPatents,
  analyzePatents,
  getPatents,
  getDrawing,
  getCoverage,
  search,
  fetchPatent,
];
