/** What serves drawings: stored images that can be linked to for a while. One implementation is chosen by settings. */
import type { DrawingFiles } from './files.js';

export interface DrawingStore extends DrawingFiles {
  /**
   * A link to a stored image, another one each time, that works for some minutes and gives nothing but this image.
   * Starts with `/` where this program serves it, with a scheme elsewhere. Asks nobody: whether the image is there,
   * the index knows.
   */
  link(content: string): string;
}

/** The type of every stored image. */
export const IMAGE_TYPE = 'image/webp';
