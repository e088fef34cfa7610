/** The calls of the tools on an open data folder, without a server. */
import { readFile } from 'node:fs/promises';
import { LocalDrawings } from '../drawings/files.js';
import { PriorartError } from '../errors.js';
import { parseAnalytics, parseDetails, parseSemantic } from '../search/query.js';
import type { AnalyticsResponse, Coverage, DetailsResponse, SearchResponse } from '../search/types.js';
import type { IndexService } from '../service.js';
import { type CallOptions, type Drawing, type PatentApi, textOf } from './api.js';

const parsed = <T>({ json }: { json: Uint8Array }): T => JSON.parse(textOf(json)) as T;

export class EngineApi implements PatentApi {
  readonly #service: IndexService;
  readonly #drawings: LocalDrawings;

  constructor(service: IndexService) {
    this.#service = service;
    this.#drawings = new LocalDrawings(service.dir);
  }

  async search(request: object, { signal }: CallOptions): Promise<SearchResponse> {
    return parsed(await this.#service.searchBody(parseSemantic(request), { signal }));
  }

  async analyze(request: object, { signal }: CallOptions): Promise<AnalyticsResponse> {
    return parsed(await this.#service.analyticsBody(parseAnalytics(request), { signal, owner: '' }));
  }

  async details(request: object, { signal }: CallOptions): Promise<DetailsResponse> {
    return parsed(await this.#service.detailsBody(parseDetails(request), { signal }));
  }

  async coverage({ signal }: CallOptions): Promise<Coverage> {
    return parsed(await this.#service.coverageBody({ signal }));
  }

  async drawing(publication: string, file: string): Promise<Drawing> {
    const content = this.#service.findDrawing(publication, file);
    const image = () =>
      readFile(this.#drawings.path(content)).catch((cause: unknown) => {
        throw new PriorartError('unavailable', 'the image is not in the data folder', { cause });
      });
    return { image };
  }
}
