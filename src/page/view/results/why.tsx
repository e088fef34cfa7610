/** Why a result is there: its words, and the parts of its score. */
import type { HitExplanation } from '../../../search/public-types.js';
import { matchedWords } from '../../model/passages.js';
import { useTexts } from '../context.js';

export function Why({ explanation, sum }: { explanation: HitExplanation; sum: number }) {
  const { results } = useTexts();
  const words = matchedWords(explanation.matches).slice(0, 12);
  const { found_by, rank_by_similarity, reranker, lexical, lexical_weight, language } = explanation;
  return (
    <details class="why">
      <summary>{results.why}</summary>
      <p>
        {found_by === 'similarity'
          ? results.foundBy.similarity(rank_by_similarity ?? explanation.rank)
          : results.foundBy[found_by]}
      </p>
      {words.length === 0 ? (
        <p>{results.noWords}</p>
      ) : (
        <>
          <p>{results.words}:</p>
          <ul>
            {words.map(({ word, translationOf, documents }) => (
              <li key={word}>
                <b>{word}</b>{' '}
                <span class="soft">
                  {translationOf === undefined ? '' : `${results.translates(translationOf)}, `}
                  {results.inDocuments(documents)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="soft">
        {results.score(
          reranker.toFixed(3),
          (lexical_weight * lexical).toFixed(3),
          language.toFixed(3),
          sum.toFixed(3),
        )}
      </p>
    </details>
  );
}
