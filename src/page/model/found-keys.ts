/** Finds keys among all, by what a person knows of them. */

interface Findable {
  id: string;
  name: string;
  environment: string;
  /** First characters of the secret. */
  prefix?: string;
}

/**
 * Keys that a text is a part of: of their name, id, environment or account, or of the first characters of the secret. A
 * whole secret finds its key, too. It is compared here and goes nowhere.
 * @param accountOf name of the account of a key
 */
export function foundKeys<K extends Findable>(
  keys: readonly K[],
  asked: string,
  accountOf: (key: K) => string,
): readonly K[] {
  const secret = asked.trim();
  const text = secret.toLowerCase();
  if (text === '') return keys;
  return keys.filter((key) => {
    const { id, name, environment, prefix } = key;
    if (prefix !== undefined && (prefix.includes(secret) || secret.startsWith(prefix))) return true;
    return [id, name, environment, accountOf(key)].some((known) => known.toLowerCase().includes(text));
  });
}
