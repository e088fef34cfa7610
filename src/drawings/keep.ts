/** Converts and stores an office's image: the task of a worker in an ingest. */
import { PriorartError } from '../errors.js';
import { convertImage, UnreadableImage } from './convert.js';
import type { DrawingFiles } from './files.js';

/** The keys of a figure's image and thumbnail, or the reason why it could not be converted. */
export type KeptImage =
  | { content: string; thumbnail: string; width: number; height: number }
  | { reason: string };

/**
 * Converts an image and stores it with its thumbnail, durably.
 * @throws PriorartError `disk_full`
 */
export async function keepImage(files: Pick<DrawingFiles, 'put'>, bytes: Uint8Array): Promise<KeptImage> {
  try {
    const { image, thumbnail, width, height } = await convertImage(bytes);
    return { content: await files.put(image), thumbnail: await files.put(thumbnail), width, height };
  } catch (error) {
    if (error instanceof UnreadableImage) return { reason: error.message };
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    const message = 'no room to write a drawing; free some space and try again';
    throw new PriorartError('disk_full', message, { cause: error });
  }
}
