/** The known name that is most like a mistyped one, for messages. */

/** Longer names are compared by their beginning: a hostile one of a megabyte must not cost as much. */
const COMPARED_CHARS = 64;

/**
 * Changes after which a name of this length is another one and not mistyped: a third of it, and two in a short one
 * (`form`, `from`).
 */
function alike(name: string, known: string): number {
  const longer = Math.max(name.length, known.length);
  return Math.max(Math.floor(longer / 3), Math.min(2, Math.floor(name.length / 2)));
}

/**
 * Of `known` the name that takes the fewest changes to become.
 * @param within the most changes that it may take; a share of its length where it is not given
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
