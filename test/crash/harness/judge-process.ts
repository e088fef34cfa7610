/** Judges folders for judge.ts: receives a question in a message and answers with the verdict. */
import { type Question, verify } from './truth.js';

process.on('message', async (question: Question) => {
  process.send!(await verify(question));
});
process.on('disconnect', () => process.exit());
