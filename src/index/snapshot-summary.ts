/** Options and result of copying a data folder. */

export interface SnapshotOptions {
  /** Aborting rejects the call with a PriorartError of code `cancelled`. Nothing of the copy is left. */
  signal?: AbortSignal | undefined;
  /** Whether to copy all bytes instead of making hard links, even on the same disk. */
  copy?: boolean | undefined;
  /** Adds further files to the copy before it gets its final name. */
  alongside?: ((folder: string) => Promise<void>) | undefined;
  /** Told what is being copied. */
  onProgress?: ((text: string) => void) | undefined;
}

/** What a copy holds. */
export interface SnapshotSummary {
  /** Path of the copy. */
  folder: string;
  /** Generation of the copied state. */
  generation: number;
  /** Publications in it. */
  documents: number;
  /** Passages in it. */
  passages: number;
  /** Files in it. */
  files: number;
  /** Bytes of these files. */
  bytes: number;
  /** Number of files that are hard links and need no additional room. */
  linked: number;
}
