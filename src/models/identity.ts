/** Checks that an index belongs to the configured model. */
import { PriorartError } from '../errors.js';
import { type ModelIdentity, sameModel } from '../store/manifest.js';

/**
 * @throws PriorartError `model_mismatch` if the index was made with another model
 */
export function checkModel(stored: ModelIdentity, configured: ModelIdentity, dir: string): void {
  if (sameModel(stored, configured)) return;
  const message = `${dir} was embedded with ${described(stored)}, the configured model is ${described(configured)}`;
  throw new PriorartError(
    'model_mismatch',
    `${message}; leave out the option models to use the former, or change the folder to the latter with reembed()`,
    {
      inCommand:
        `${message}; leave out --models to use the former, or change the folder to the latter with ` +
        `\`priorart reembed --data ${dir} --models FILE\``,
    },
  );
}

function described({ name, version, dimensions }: ModelIdentity): string {
  return `${name} ${version} (${dimensions} dimensions)`;
}
