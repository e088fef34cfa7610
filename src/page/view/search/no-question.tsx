/** What an address with filters and without a question lacks. The filters stay. */
import { useTexts } from '../context.js';
import { SignInNote } from './sign-in-note.js';
import { useQuestionFocus } from './start.js';

export function NoQuestion() {
  const { empty } = useTexts();
  useQuestionFocus();
  return (
    <>
      <div class="note" role="status">
        <p>
          <strong>{empty.noQuestion}</strong>
        </p>
        <p>{empty.noQuestionHelp}</p>
      </div>
      <SignInNote />
    </>
  );
}
