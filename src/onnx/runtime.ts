/** Loads onnxruntime-node. The package, 290 MB, is optional: only ONNX models need it. */
import { PriorartError } from '../errors.js';

/** The version that is tested and that package.json names as a peer. */
export const ONNXRUNTIME_VERSION = '1.30.0';

export type Runtime = typeof import('onnxruntime-node');

/**
 * Loads the runtime, once a thread.
 * @throws PriorartError `model_missing` if it is not installed or does not load
 */
export async function loadRuntime(): Promise<Runtime> {
  try {
    const module = (await import('onnxruntime-node')) as Runtime & { default?: Runtime };
    // A CommonJS module: exports that Node does not detect are under `default`.
    return module.InferenceSession ? module : (module.default ?? module);
  } catch (cause) {
    const absent = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    const reason = absent ? 'is not installed' : `does not load: ${(cause as Error).message}`;
    throw new PriorartError(
      'model_missing',
      `the configuration names an ONNX model, and onnxruntime-node ${reason}; run ` +
        `\`npm install onnxruntime-node@${ONNXRUNTIME_VERSION}\` in the application, or in a clone ` +
        `\`npm install --no-save --save-prod onnxruntime-node@${ONNXRUNTIME_VERSION}\``,
      { cause },
    );
  }
}
