/** Reads all pages of semantic-analytics. */
import type { Engine } from '../../src/engine.js';
import { PAGE_SIZE } from '../../src/limits.js';
import type { AnalyticsResult } from '../../src/search/types.js';

/** All counted documents, best first. */
export async function everyResult(
  engine: Engine,
  request: Parameters<Engine['analyze']>[0],
): Promise<AnalyticsResult[]> {
  const found: AnalyticsResult[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await engine.analyze({ ...request, page, page_size: PAGE_SIZE.max });
    found.push(...answer.results);
    pages = answer.total_pages;
  }
  return found;
}
