/** What a benchmark gives: figures in sections, so that pages, baselines and other programs read the same. */

export interface Figure {
  /** What was measured: a set or a part of it. Rows of one measure stand together. */
  measure: string;
  /** `recall@10`, `spearman`, … */
  metric: string;
  /** How it was answered: `dense`, `reranked`, `bm25`, …; a column. */
  variant: string;
  /** Label of the model; absent where none took part. */
  model?: string;
  value: number;
  /** `ms`, `/s`, …; absent where the value is a share or a score between 0 and 1. */
  unit?: string;
  /** 95 % interval, where there is one. */
  low?: number;
  high?: number;
  /** Questions or pairs that the value is of. */
  n: number;
  /** On the page and in the terminal, not in BENCHMARKS.md. */
  detail?: boolean;
}

export interface Axis {
  label: string;
  log?: boolean;
}

/** Lines through points. */
export interface Plot {
  title: string;
  x: Axis;
  y: Axis;
  series: { name: string; points: [x: number, y: number][] }[];
}

/** A curve from 0 to 1 across. */
export interface Curve {
  name: string;
  /** Values that it is made of. */
  n: number;
  /** At even distances, from 0 to 1. */
  heights: number[];
}

/** Small charts of one kind beside each other, such as distributions. */
export interface Panels {
  /** The SVG that is written beside the page. */
  file: string;
  title: string;
  /** What the curves are, for all panels. */
  about: string;
  x: Axis;
  /** A value across that every panel marks. */
  mark: number;
  panels: { title: string; series: Curve[] }[];
}

export interface Section {
  id: string;
  title: string;
  /** What is measured on what, and what of it training has seen. */
  about: string;
  figures: Figure[];
  /** Shown on the page above the table. */
  plots?: Plot[];
  /** Shown below them, and written as SVG files. */
  panels?: Panels[];
  /** Why nothing was measured. */
  skipped?: string;
  seconds: number;
  cpuSeconds: number;
}

export interface Result {
  benchmark: string;
  version: string;
  commit: string;
  command: string;
  startedAt: string;
  machine: Machine;
  /** Processes that ran or waited, over one minute, before and after. */
  load: { before: number; after: number };
  /** Measured on a part of each set, to see that it works. */
  short: boolean;
  models: Record<string, string>;
  sections: Section[];
}

export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
}

/** What the runner gives to a benchmark. */
export interface Setting {
  /** Folder of the offices' and other collections. */
  corpora: string;
  short: boolean;
  /** models.json files by label; undefined is what comes with the package. */
  models: { label: string; file: string | undefined }[];
  /** Names of sections; undefined is all. */
  only: string[] | undefined;
  /** Sizes of the generated folders; undefined is what the benchmark likes. */
  passages?: readonly number[] | undefined;
  progress(text: string): void;
}

export interface Benchmark {
  name: string;
  summary: string;
  /** Names of its sections. */
  sections: string[];
  run(setting: Setting): Promise<{ models: Record<string, string>; sections: Section[] }>;
}

/** Whether times measured on two machines can be compared. */
export function sameMachine(a: Machine, b: Machine): boolean {
  return a.processor === b.processor && a.cores === b.cores;
}

/** Identifies a figure from run to run. */
export function keyOf(section: string, { measure, metric, variant, model }: Figure): string {
  return [section, measure, metric, variant, model ?? ''].join(' | ');
}
