/** A publication number as its office prints it. The tooltip has the patent_id. */
import { printedNumber } from '../../model/number.js';

export function PublicationNumber({ id }: { id: string }) {
  return (
    <span class="number" title={id}>
      {printedNumber(id)}
    </span>
  );
}
