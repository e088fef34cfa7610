/**
 * The part of sharp that is used. Declared because the package is optional: the program must also compile without it.
 */
declare module 'sharp' {
  export interface Metadata {
    width?: number;
    height?: number;
    hasAlpha?: boolean;
    /** Type of a sample, such as `uchar`. */
    depth?: string;
  }

  export interface Box {
    width: number;
    height: number;
    fit: 'inside';
    withoutEnlargement: boolean;
  }

  export interface Pipeline {
    metadata(): Promise<Metadata>;
    autoOrient(): Pipeline;
    flatten(options: { background: string }): Pipeline;
    resize(options: Box): Pipeline;
    timeout(options: { seconds: number }): Pipeline;
    webp(options: { lossless?: boolean; quality?: number; effort: number }): Pipeline;
    toBuffer(options: {
      resolveWithObject: true;
    }): Promise<{ data: Buffer; info: { width: number; height: number } }>;
  }

  export interface Sharp {
    (bytes: Uint8Array, options: { limitInputPixels: number; failOn: 'error' }): Pipeline;
    cache(options: false): unknown;
    concurrency(threads: number): number;
  }

  const sharp: Sharp;
  export default sharp;
}
