/** Scores of documents by those of their passages. */

/** The score of each document: that of its best passage. @param passageAt as in `SearchHits` */
export function bestOfPassages(passages: Float32Array, passageAt: Uint32Array): Float32Array {
  const documents = new Float32Array(passageAt.length - 1).fill(Number.NEGATIVE_INFINITY);
  for (let n = 0; n < documents.length; n++) {
    for (let at = passageAt[n]!; at < passageAt[n + 1]!; at++)
      documents[n] = Math.max(documents[n]!, passages[at]!);
  }
  return documents;
}
