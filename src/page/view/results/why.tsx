/** Why a result is there, in plain words. The sum that orders the results is folded away. */
import type { SearchResult } from '../../../search/public-types.js';
import { matchedWords } from '../../model/passages.js';
import { missingWords } from '../../model/question-words.js';
import { isTitleOnly, shownSimilarity } from '../../model/relevance.js';
import { shownSum } from '../../model/shown-sum.js';
import { useTexts } from '../context.js';
import { placeOf } from './passages.js';

const WORDS_SHOWN = 12;

/** @param question empty: the search has examples only */
export function Why({ result, question }: { result: SearchResult; question: string }) {
  const { results } = useTexts();
  const { explanation, chunks, similarity_score } = result;
  if (!explanation) return null;
  const passage = chunks[explanation.decided_by ?? -1];
  const hasQuestion = question.trim() !== '';
  return (
    <details class="why">
      <summary>{results.why}</summary>
      <p>
        {(hasQuestion ? results.nearest : results.nearestTo)(shownSimilarity(similarity_score))}{' '}
        {results.similarityLine}
      </p>
      {isTitleOnly(result) && <p>{results.titleOnlyHelp}</p>}
      {passage && chunks.length > 1 && <p>{results.decidedBy(placeOf(passage, results))}</p>}
      {hasQuestion && <QuestionWords question={question} matches={explanation.matches} />}
      <Order result={result} />
    </details>
  );
}

type Explanation = NonNullable<SearchResult['explanation']>;

function QuestionWords({ question, matches }: { question: string; matches: Explanation['matches'] }) {
  const { results } = useTexts();
  const found = matchedWords(matches).slice(0, WORDS_SHOWN);
  const missing = missingWords(question, matches);
  return (
    <>
      {found.length === 0 && <p>{results.noWords}</p>}
      {found.length > 0 && (
        <div class="why-words found">
          <p>{results.words}:</p>
          <ul>
            {found.map(({ word, translationOf, documents }) => (
              <li key={word}>
                <b>{word}</b>{' '}
                <span class="soft">
                  {translationOf === undefined
                    ? results.inDocuments(documents)
                    : `${results.translates(translationOf)} (${results.inDocuments(documents)})`}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {found.length > 0 && missing.length > 0 && (
        <div class="why-words missing">
          <p>{results.missingWords}:</p>
          <ul>
            {missing.slice(0, WORDS_SHOWN).map((word) => (
              <li key={word}>{word}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Order({ result: { explanation } }: { result: SearchResult }) {
  const { results } = useTexts();
  const { found_by, rank_by_similarity, rank, reranker, lexical, lexical_weight, language } = explanation!;
  // The score of a publication that the question names is raised, so its parts add up to less than rerank_score.
  const { parts, sum } = shownSum([reranker, lexical_weight * lexical, language]);
  return (
    <details class="why-order">
      <summary>{results.sum}</summary>
      <p>{results.orderHelp}</p>
      <p>
        {found_by === 'similarity'
          ? results.foundBy.similarity(rank_by_similarity ?? rank)
          : results.foundBy[found_by]}
      </p>
      <p>{results.score(parts[0]!, parts[1]!, parts[2]!, sum)}</p>
    </details>
  );
}
