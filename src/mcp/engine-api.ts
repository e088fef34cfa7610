/** The calls of the tools on an engine, without a server. */
import type { DrawingFiles } from '../drawings/files.js';
import type { EnginePort } from '../engine-port.js';
import { giveBack } from '../give-back.js';
import { parseAnalytics, parseDetails, parseSemantic } from '../search/query.js';
import type { AnalyticsResponse, Coverage, DetailsResponse, SearchResponse } from '../search/types.js';
import { type CallOptions, type Drawing, type PatentApi, textOf } from './api.js';

const parsed = <T>({ json }: { json: Uint8Array }): T => JSON.parse(textOf(json)) as T;

/** Reads an answer, and frees its bytes: only the caller has them. */
function parsedOnce<T>(body: { json: Uint8Array }): T {
  const read = parsed<T>(body);
  giveBack(body.json);
  return read;
}

export class EngineApi implements PatentApi {
  readonly #engine: EnginePort;
  readonly #drawings: Pick<DrawingFiles, 'read'>;

  /** @param drawings where the images lie */
  constructor(engine: EnginePort, drawings: Pick<DrawingFiles, 'read'>) {
    this.#engine = engine;
    this.#drawings = drawings;
  }

  async search(request: object, { signal }: CallOptions): Promise<SearchResponse> {
    return parsedOnce(await this.#engine.searchBody(parseSemantic(request), { signal }));
  }

  async analyze(request: object, { signal }: CallOptions): Promise<AnalyticsResponse> {
    return parsedOnce(await this.#engine.analyticsBody(parseAnalytics(request), { signal, owner: '' }));
  }

  async details(request: object, { signal }: CallOptions): Promise<DetailsResponse> {
    return parsedOnce(await this.#engine.detailsBody(parseDetails(request), { signal }));
  }

  async coverage({ signal }: CallOptions): Promise<Coverage> {
    return parsed(await this.#engine.coverageBody({ signal }));
  }

  async drawing(publication: string, file: string): Promise<Drawing> {
    const content = await this.#engine.findDrawing(publication, file);
    return { image: () => this.#drawings.read(content) };
  }
}
