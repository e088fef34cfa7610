/** Which model an index belongs to. */
import { PriorartError } from '../errors.js';
import { type ModelIdentity, sameModel } from '../store/manifest.js';

/**
 * One index belongs to one model.
 * @throws PriorartError `model_mismatch`
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
