/** What is wrong with a field, beside it. */
export function FieldComplaint({ id, message }: { id: string; message: string | undefined }) {
  return message === undefined ? null : (
    <p id={id} class="field-complaint" role="alert">
      {message}
    </p>
  );
}
