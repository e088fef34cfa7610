/** Similarity as a bar with a line at 0.5, from which on a patent is clearly about the question. */
import { CLEAR, shownSimilarity } from '../../model/relevance.js';
import { useTexts } from '../context.js';

export function Similarity({ value }: { value: number }) {
  const { results } = useTexts();
  const isClear = value >= CLEAR;
  const rounded = shownSimilarity(value);
  return (
    <div
      class={isClear ? 'similarity clear' : 'similarity'}
      title={`${results.similarityHelp} ${results.similarityLine}`}
    >
      <span class="unseen">
        {results.similarity} {rounded}, {isClear ? results.clear : results.unclear}
      </span>
      <span class="similarity-bar" aria-hidden="true">
        <span style={{ width: `${Math.round(Math.max(0, Math.min(1, value)) * 100)}%` }} />
      </span>
      <span class="similarity-value" aria-hidden="true">
        {rounded}
      </span>
    </div>
  );
}
