/** Whether a key belongs to an input method, which composes a character. */

/** Safari ends the composition before the key that ended it: only this code says so. */
const OF_INPUT_METHOD = 229;

export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === OF_INPUT_METHOD;
}
