/** Checks that an index belongs to the configured model. */
import { PriorartError } from '../errors.js';
import { type ModelIdentity, sameModel } from '../store/manifest.js';

/** How an index gets another model: a data folder is re-embedded, an index on a cluster is reindexed. */
export type ModelChange = 'reembed' | 'reindex';

/**
 * @param name of the data folder or of the index, for the message
 * @throws PriorartError `model_mismatch` if the index was made with another model
 */
export function checkModel(
  stored: ModelIdentity,
  configured: ModelIdentity,
  name: string,
  change: ModelChange = 'reembed',
): void {
  if (sameModel(stored, configured)) return;
  if (stored.name === configured.name) {
    // As after an upgrade. The model may also be one of the user's, with another version or other dimensions.
    const versions = `${name} was embedded with ${described(stored)}, the model is ${described(configured)} now`;
    const [call, command] =
      change === 'reembed'
        ? ['reembed(), with the option models if it was given here', `priorart reembed --data ${name}`]
        : ['the command `priorart reindex`', 'priorart reindex --models FILE'];
    const withModels = change === 'reembed' ? ', with --models FILE if it was given here' : '';
    throw new PriorartError('model_mismatch', `${versions}; give it new vectors with ${call}`, {
      inCommand: `${versions}; give it new vectors with \`${command}\`${withModels}`,
    });
  }
  const message = `${name} was embedded with ${described(stored)}, the configured model is ${described(configured)}`;
  const [call, command] =
    change === 'reembed'
      ? ['reembed()', `priorart reembed --data ${name}`]
      : ['the command `priorart reindex`', 'priorart reindex'];
  throw new PriorartError(
    'model_mismatch',
    `${message}; leave out the option models to use the former, or change it to the latter with ${call}`,
    {
      inCommand:
        `${message}; leave out --models to use the former, or change it to the latter with ` +
        `\`${command} --models FILE\``,
    },
  );
}

function described({ name, version, dimensions }: ModelIdentity): string {
  return `${name} ${version} (${dimensions} dimensions)`;
}
