/** What is said to, and by, a copy of a data folder. */

export interface SnapshotOptions {
  /** Copies every byte in place of hard links, also where both folders are on one disk. */
  copy?: boolean | undefined;
  /** Puts further files into the copy, before it comes under its name. */
  alongside?: ((folder: string) => Promise<void>) | undefined;
  /** Told what is being copied. */
  onProgress?: ((text: string) => void) | undefined;
}

/** What a copy holds. */
export interface SnapshotSummary {
  /** Path of the copy. */
  folder: string;
  /** The state that was copied. */
  generation: number;
  /** Publications in it. */
  documents: number;
  /** Passages in it. */
  passages: number;
  /** Files in it. */
  files: number;
  /** Bytes of these files. */
  bytes: number;
  /** Of the files, those that are hard links and take no room of their own. */
  linked: number;
}
