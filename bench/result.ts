/** The result of a benchmark: figures in sections, the common input of pages, baselines and other programs. */

export interface Figure {
  /** The set or part of a set that was measured. Rows of one measure are adjacent. */
  measure: string;
  /** `recall@10`, `spearman`, … */
  metric: string;
  /** The variant, a column: `dense`, `reranked`, `bm25`, … */
  variant: string;
  /** Label of the model; absent if the value depends on no model. */
  model?: string;
  value: number;
  /** `ms`, `/s`, …; absent if the value is a share or a score between 0 and 1. */
  unit?: string;
  /** 95 % interval, if it was computed. */
  low?: number;
  high?: number;
  /** Number of questions or pairs. */
  n: number;
  /** Whether the figure is left out of bench/results. */
  detail?: boolean;
  /** Whether tables show its interval. */
  interval?: boolean;
}

export interface Axis {
  label: string;
  log?: boolean;
}

/** A line chart. */
export interface Plot {
  title: string;
  x: Axis;
  y: Axis;
  series: { name: string; points: [x: number, y: number][] }[];
}

/** A curve over x from 0 to 1. */
export interface Curve {
  name: string;
  /** Number of values in the distribution. */
  n: number;
  /** Heights at even distances from x = 0 to x = 1. */
  heights: number[];
}

/** A grid of small charts of one kind, such as distributions. */
export interface Panels {
  /** Name of the SVG file, written next to the page. */
  file: string;
  title: string;
  /** Description of the curves of all panels. */
  about: string;
  x: Axis;
  /** An x value that every panel marks. */
  mark: number;
  panels: { title: string; series: Curve[] }[];
}

export interface Section {
  id: string;
  title: string;
  /** Description of measure and data, with the part of the data that was in training. */
  about: string;
  figures: Figure[];
  /** Charts above the table on the page. */
  plots?: Plot[];
  /** Panels below the charts, also written as SVG files. */
  panels?: Panels[];
  /** Reason why the section was not measured. */
  skipped?: string;
  seconds: number;
  cpuSeconds: number;
  /** The run that measured the section, if it is not the run of the result. */
  run?: Pick<Result, 'version' | 'commit' | 'command' | 'startedAt' | 'machine' | 'load'>;
}

export interface Result {
  benchmark: string;
  version: string;
  commit: string;
  command: string;
  startedAt: string;
  machine: Machine;
  /** Load average of one minute, before and after. */
  load: { before: number; after: number };
  /** Whether only a part of each set was measured. */
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

/** The parameters of a benchmark. */
export interface Setting {
  /** Folder of the collections. */
  corpora: string;
  short: boolean;
  /** models.json files by label; undefined: the models of the package. */
  models: { label: string; file: string | undefined }[];
  /** Names of the sections to run; undefined: all. */
  only: string[] | undefined;
  /** Sizes of the generated folders, passages; undefined: the benchmark's default. */
  passages?: readonly number[] | undefined;
  /** Number of questions; undefined: the benchmark's default. */
  questions?: number | undefined;
  /** Names of the libraries to compare with; undefined: all. */
  peers?: readonly string[] | undefined;
  /** An index folder of real documents; undefined: one is made from the collections. */
  folder?: string | undefined;
  progress(text: string): void;
}

export interface Benchmark {
  name: string;
  summary: string;
  /** Names of the benchmark's sections. */
  sections: string[];
  run(setting: Setting): Promise<{ models: Record<string, string>; sections: Section[] }>;
}

/** A result with the sections of an earlier run that it lacks, each of which names that run. */
export function joined(result: Result, { sections, ...run }: Result): Result {
  const { version, commit, command, startedAt, machine, load } = run;
  const own = new Set(result.sections.map(({ id }) => id));
  const others = sections
    .filter(({ id }) => !own.has(id))
    .map((section) => ({ run: { version, commit, command, startedAt, machine, load }, ...section }));
  return { ...result, short: result.short || run.short, sections: [...others, ...result.sections] };
}

/** Whether times measured on two machines can be compared. */
export function sameMachine(a: Machine, b: Machine): boolean {
  return a.processor === b.processor && a.cores === b.cores;
}

/** Key of a figure, the same in every run. */
export function keyOf(section: string, { measure, metric, variant, model }: Figure): string {
  return [section, measure, metric, variant, model ?? ''].join(' | ');
}
