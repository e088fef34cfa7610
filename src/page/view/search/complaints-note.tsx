/** All complaints of the server about fields, each with the way to its field, which may lie in a part that is not in view. */
import type { Complaint } from '../../model/complaints.js';
import { useTexts } from '../context.js';

export function ComplaintsNote({ complaints }: { complaints: readonly Complaint[] }) {
  const { errors, filters } = useTexts();
  const labels: Readonly<Record<string, string>> = filters.fields;
  // Both ends of a range have the label of the range.
  const labelOf = (field: string) => labels[field] ?? labels[field.replace(/_(?:from|to)$/, '')] ?? field;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{errors.check}</strong>
      </p>
      <ul>
        {complaints.map(({ field, message }) => (
          <li key={message}>
            {field && (
              <button type="button" class="button plain" onClick={() => inputOf(field)?.focus()}>
                {labelOf(field)}
              </button>
            )}{' '}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function inputOf(field: string): HTMLElement | null {
  return document.getElementById(field === 'query' ? 'question' : `field-${field}`);
}
