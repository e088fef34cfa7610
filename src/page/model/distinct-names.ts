/** Names of accounts and keys, told apart where they are equal. */
import { isolated } from './isolated.js';

/** @param account of a key: keys are told apart within an account, which is named beside them */
interface Named {
  id: string;
  name: string;
  account?: string;
}

/** By id: the name, with the id behind it if two of one account have this name. */
export function distinctNames(all: readonly Named[]): ReadonlyMap<string, string> {
  const place = ({ name, account = '' }: Named) => JSON.stringify([account, name]);
  const counts = new Map<string, number>();
  for (const one of all) counts.set(place(one), (counts.get(place(one)) ?? 0) + 1);
  return new Map(
    all.map((one) => {
      const name = isolated(one.name);
      return [one.id, counts.get(place(one))! > 1 ? `${name} (${one.id})` : name];
    }),
  );
}
