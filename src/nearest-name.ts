/** The known name that is most like a mistyped one, for messages. */

/** Longer names are compared by their beginning: a hostile one of a megabyte must not cost as much. */
const COMPARED_CHARS = 64;

/** Of `known` the name that takes the fewest changes to become; with `within`, only one that takes no more. */
export function nearestName(
  name: string,
  known: readonly string[],
  within = Number.POSITIVE_INFINITY,
): string | undefined {
  const wanted = name.slice(0, COMPARED_CHARS).toLowerCase();
  let best: string | undefined;
  let least = within;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least || (best === undefined && distance === least)) [best, least] = [candidate, distance];
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
