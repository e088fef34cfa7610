/** Finds the known name nearest to a mistyped name, for messages. */

/** Characters that are compared. The limit bounds the cost of a hostile name of a megabyte. */
const COMPARED_CHARS = 64;

/**
 * Largest number of edits between a mistyped name and the known name: a third of the longer name, or up to
 * two in a short name (`form`, `from`).
 */
function alike(name: string, known: string): number {
  const longer = Math.max(name.length, known.length);
  return Math.max(Math.floor(longer / 3), Math.min(2, Math.floor(name.length / 2)));
}

/**
 * The name of `known` with the fewest edits.
 * @param within the largest number of edits; by default a share of the length of the name
 */
export function nearestName(name: string, known: readonly string[], within?: number): string | undefined {
  const wanted = name.slice(0, COMPARED_CHARS).toLowerCase();
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    const most = within ?? alike(wanted, candidate);
    if (distance <= most && distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change));
    }
    previous = row;
  }
  return previous[b.length]!;
}
