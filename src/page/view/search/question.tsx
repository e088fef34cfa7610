/** The question box, with the patents that stand beside the question as examples. */
import type { Search } from '../../model/fields.js';
import { printedNumber } from '../../model/number.js';
import { useTexts } from '../context.js';
import { isComposing } from './composing.js';
import { FieldComplaint } from './field-complaint.js';

interface Props {
  search: Search;
  complaint: string | undefined;
  onChange(search: Search): void;
  onAsk(): void;
  /** Asks at once, without one of the examples. */
  onRemove(search: Search): void;
}

export function Question({ search, complaint, onChange, onAsk, onRemove }: Props) {
  const { question } = useTexts();
  const submit = (event: Event) => {
    event.preventDefault();
    onAsk();
  };
  const keys = (event: KeyboardEvent) => {
    // Enter asks. While an input method composes a character, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    onAsk();
  };
  return (
    <search>
      <form class="question" onSubmit={submit}>
        <label class="unseen" for="question">
          {question.label}
        </label>
        <div class="question-line">
          <textarea
            id="question"
            rows={1}
            placeholder={question.placeholder}
            value={search.query}
            aria-invalid={complaint ? 'true' : undefined}
            aria-describedby={complaint ? 'question-complaint' : undefined}
            onInput={(event) => onChange({ ...search, query: event.currentTarget.value })}
            onKeyDown={keys}
          />
          <button type="submit" class="button main">
            {question.search}
          </button>
        </div>
        <FieldComplaint id="question-complaint" message={complaint} />
        {search.like.length + search.unlike.length > 0 && (
          <ul class="examples">
            {(['like', 'unlike'] as const).flatMap((field) =>
              search[field].map((id) => (
                <li key={`${field} ${id}`} class="chip">
                  <span>
                    {question[field]} <b title={id}>{printedNumber(id)}</b>
                  </span>
                  <button
                    type="button"
                    aria-label={question.remove(id)}
                    onClick={() =>
                      onRemove({ ...search, [field]: search[field].filter((other) => other !== id) })
                    }
                  >
                    ×
                  </button>
                </li>
              )),
            )}
          </ul>
        )}
      </form>
    </search>
  );
}
