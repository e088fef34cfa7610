/** The calls of the tools on an engine, without a server. */
import { readFile } from 'node:fs/promises';
import type { LocalDrawings } from '../drawings/files.js';
import type { EnginePort } from '../engine-port.js';
import { PriorartError } from '../errors.js';
import { parseAnalytics, parseDetails, parseSemantic } from '../search/query.js';
import type { AnalyticsResponse, Coverage, DetailsResponse, SearchResponse } from '../search/types.js';
import { type CallOptions, type Drawing, type PatentApi, textOf } from './api.js';

const parsed = <T>({ json }: { json: Uint8Array }): T => JSON.parse(textOf(json)) as T;

export class EngineApi implements PatentApi {
  readonly #engine: EnginePort;
  readonly #drawings: LocalDrawings;

  /** @param drawings where the images lie */
  constructor(engine: EnginePort, drawings: LocalDrawings) {
    this.#engine = engine;
    this.#drawings = drawings;
  }

  async search(request: object, { signal }: CallOptions): Promise<SearchResponse> {
    return parsed(await this.#engine.searchBody(parseSemantic(request), { signal }));
  }

  async analyze(request: object, { signal }: CallOptions): Promise<AnalyticsResponse> {
    return parsed(await this.#engine.analyticsBody(parseAnalytics(request), { signal, owner: '' }));
  }

  async details(request: object, { signal }: CallOptions): Promise<DetailsResponse> {
    return parsed(await this.#engine.detailsBody(parseDetails(request), { signal }));
  }

  async coverage({ signal }: CallOptions): Promise<Coverage> {
    return parsed(await this.#engine.coverageBody({ signal }));
  }

  async drawing(publication: string, file: string): Promise<Drawing> {
    const content = await this.#engine.findDrawing(publication, file);
    const image = () =>
      readFile(this.#drawings.path(content)).catch((cause: unknown) => {
        throw new PriorartError('unavailable', 'the image is not in the data folder', { cause });
      });
    return { image };
  }
}
