/** Options and result of copying a data folder. */

export interface SnapshotOptions {
  /** Whether to copy all bytes instead of making hard links, even on the same disk. */
  copy?: boolean | undefined;
  /** Adds further files to the copy before it gets its final name. */
  alongside?: ((folder: string) => Promise<void>) | undefined;
  onProgress?: ((text: string) => void) | undefined;
}

export interface SnapshotSummary {
  folder: string;
  /** Generation of the copied state. */
  generation: number;
  documents: number;
  passages: number;
  files: number;
  bytes: number;
  /** Number of files that are hard links and need no additional room. */
  linked: number;
}
