/**
 * A model of the processors and memory needed for a number of patents and a rate of requests. All parts are measured.
 *
 * - Processor time of a request: `fixed + perPassage · passages ^ power`. A power below 1 means that the index skips most
 *   passages.
 * - Memory: a fixed part of the process, a part for each worker, and bytes for each passage: vectors, columns and index,
 *   which searches read, and the part of the texts that stays in memory. The other texts are on disk.
 * - Latency: if processors are used for a share u of the time, the p99 of requests is `tail(u)` times the processor time
 *   of one request. `tail` is measured at several u and is linear in u / (1 − u), as in queues.
 */

export interface CostSample {
  passages: number;
  /** Processor time of a request, ms. */
  cpuMs: number;
}

export interface TailSample {
  /** Share of the workers' time that is used. */
  busy: number;
  p99Ms: number;
  cpuMs: number;
}

export interface Model {
  fixedMs: number;
  perPassageMs: number;
  power: number;
  tail: { base: number; slope: number };
  memory: { processBytes: number; workerBytes: number; passageBytes: number; textBytes: number };
  passagesPerPatent: number;
}

/** Minimises the squared relative errors, for powers between 0 and 1. Two sizes give a line, one size a constant. */
export function fitCost(samples: readonly CostSample[]): Pick<Model, 'fixedMs' | 'perPassageMs' | 'power'> {
  const only = samples[0];
  if (only === undefined) throw new Error('no size was measured');
  const constant = { fixedMs: only.cpuMs, perPassageMs: 0, power: 1 };
  let best = { ...constant, error: Infinity };
  const powers = samples.length > 2 ? Array.from({ length: 19 }, (_, n) => 0.1 + n * 0.05) : [1];
  for (const power of powers) {
    const line = lineThrough(samples, power);
    const error = samples.reduce(
      (sum, { passages, cpuMs }) =>
        sum + ((line.fixedMs + line.perPassageMs * passages ** power) / cpuMs - 1) ** 2,
      0,
    );
    if (error < best.error) best = { ...line, power, error };
  }
  const { fixedMs, perPassageMs, power } = samples.length > 1 ? best : constant;
  return { fixedMs, perPassageMs, power };
}

/** A least-squares line, weighted by 1 / value², with no negative coefficient. */
function lineThrough(
  samples: readonly CostSample[],
  power: number,
): { fixedMs: number; perPassageMs: number } {
  let [w, x, y, xx, xy] = [0, 0, 0, 0, 0];
  for (const { passages, cpuMs } of samples) {
    const [weight, at] = [cpuMs ** -2, passages ** power];
    w += weight;
    x += weight * at;
    y += weight * cpuMs;
    xx += weight * at * at;
    xy += weight * at * cpuMs;
  }
  const spread = w * xx - x * x;
  const slope = spread > 0 ? (w * xy - x * y) / spread : 0;
  if (slope <= 0) return { fixedMs: y / w, perPassageMs: 0 };
  const fixed = (y - slope * x) / w;
  return fixed >= 0 ? { fixedMs: fixed, perPassageMs: slope } : { fixedMs: 0, perPassageMs: xy / xx };
}

/** Fits `tail(u) = base + slope · u / (1 − u)` by least squares. */
export function fitTail(samples: readonly TailSample[]): Model['tail'] {
  const points = samples.map(({ busy, p99Ms, cpuMs }) => [queueing(busy), p99Ms / cpuMs] as const);
  const n = points.length;
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, p) => sum + of(p), 0) / n;
  const [mx, my] = [mean(([x]) => x), mean(([, y]) => y)];
  const spread = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  const slope = spread > 0 ? points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / spread : 0;
  if (slope <= 0) return { base: my, slope: 0 };
  return { base: Math.max(1, my - slope * mx), slope };
}

function queueing(busy: number): number {
  const share = Math.min(0.99, busy);
  return share / (1 - share);
}

export function cpuMsOf(
  { fixedMs, perPassageMs, power }: Pick<Model, 'fixedMs' | 'perPassageMs' | 'power'>,
  passages: number,
): number {
  return fixedMs + perPassageMs * passages ** power;
}

export function p99MsOf(model: Model, passages: number, busy: number): number {
  return cpuMsOf(model, passages) * (model.tail.base + model.tail.slope * queueing(busy));
}

export interface Wish {
  patents: number;
  /** Requests a second. */
  rate: number;
  p99Ms: number;
}

export interface Needed {
  passages: number;
  /** Processors; undefined if no number of them reaches the p99. */
  cores: number | undefined;
  busy: number | undefined;
  /** Bytes without and with the texts in memory. */
  memoryBytes: number;
  memoryWithTextsBytes: number;
  cpuMs: number;
  p99Ms: number | undefined;
}

/** Maximum load of processors. The rest is for ingests, merges and the system. */
const BUSY_MOST = 0.7;

/** The smallest machine that meets the requirements. */
export function answer(model: Model, { patents, rate, p99Ms }: Wish): Needed {
  const passages = patents * model.passagesPerPatent;
  const cpuMs = cpuMsOf(model, passages);
  const load = (rate * cpuMs) / 1000;
  let cores: number | undefined;
  // With load / 0.01 processors or more, requests do not queue.
  for (let tried = Math.max(1, Math.ceil(load / BUSY_MOST)); tried <= Math.max(1, load * 100); tried++) {
    if (p99MsOf(model, passages, load / tried) > p99Ms) continue;
    cores = tried;
    break;
  }
  const { processBytes, workerBytes, passageBytes, textBytes } = model.memory;
  const memoryBytes = processBytes + workerBytes * (cores ?? 1) + passageBytes * passages;
  const busy = cores === undefined ? undefined : load / cores;
  return {
    passages,
    cores,
    busy,
    memoryBytes,
    memoryWithTextsBytes: memoryBytes + textBytes * passages,
    cpuMs,
    p99Ms: busy === undefined ? undefined : p99MsOf(model, passages, busy),
  };
}
