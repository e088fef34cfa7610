/** Kinds of publications that the search leaves out by default, each with a switch that includes them. */
import type { Search } from '../../model/fields.js';
import { leftOutOf, withDesigns } from '../../model/kinds.js';
import { useTexts } from '../context.js';
import { useCoverage } from '../coverage.js';

interface Props {
  search: Search;
  onAsk(search: Search): void;
}

export function LeftOut({ search, onAsk }: Props) {
  const { filters } = useTexts();
  const coverage = useCoverage();
  if (!coverage) return null;
  const { utilityModels, designs } = leftOutOf(search, coverage);
  const chip = (text: string, wanted: () => Search) => (
    <li class="chip left-out">
      <span>{text}</span>
      <button type="button" aria-label={`${filters.include}: ${text}`} onClick={() => onAsk(wanted())}>
        {filters.include}
      </button>
    </li>
  );
  if (utilityModels + designs === 0) return null;
  return (
    <ul class="chips" aria-label={filters.leftOut}>
      {utilityModels > 0 &&
        chip(filters.utilityModelsLeftOut(utilityModels), () => ({ ...search, include_utility_model: true }))}
      {designs > 0 && chip(filters.designsLeftOut(designs), () => withDesigns(search, coverage))}
    </ul>
  );
}
