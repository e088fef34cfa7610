/** What is said to, and by, a copy of a data folder. */

export interface SnapshotOptions {
  /** Copies every byte in place of hard links, also where both folders are on one disk. */
  copy?: boolean | undefined;
  /** Puts further files into the copy, before it comes under its name. */
  alongside?: ((folder: string) => Promise<void>) | undefined;
  onProgress?: ((text: string) => void) | undefined;
}

export interface SnapshotSummary {
  folder: string;
  /** The state that was copied. */
  generation: number;
  documents: number;
  passages: number;
  files: number;
  bytes: number;
  /** Of the files, those that are hard links and take no room of their own. */
  linked: number;
}
