/** A store of drawings with links that expire. The settings choose the implementation. */
import type { DrawingFiles } from './files.js';

export interface DrawingStore extends DrawingFiles {
  /**
   * A link to one stored image, valid for some minutes and different in every call. It starts with `/` if this program
   * serves the image, else with a scheme. Does not check that the image exists: the index knows.
   */
  link(content: string): string;

  /** The origin of the links, such as `https://s3.example.com`; undefined if this program serves the images. */
  linkOrigin(): string | undefined;
}

/** Media type of every stored image. */
export const IMAGE_TYPE = 'image/webp';
