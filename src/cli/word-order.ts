/** The order of words: options may stand before the command that they belong to, as in `priorart keys --data D create`. */
import type { Command } from 'commander';

/** The words of a command line, with the names of the command and of its group first. */
export function namesFirst(program: Command, words: readonly string[]): string[] {
  const [name, ...rest] = nameFirst(program, words);
  const group = program.commands.find((one) => one.name() === name);
  return group === undefined ? [...words] : [name!, ...nameFirst(group, rest)];
}

/** Moves the name of a command to the front, if all words before it are options of that command. */
function nameFirst(group: Command, words: readonly string[]): readonly string[] {
  for (const [n, word] of words.entries()) {
    const command = group.commands.find((one) => one.name() === word);
    const before = words.slice(0, n);
    if (command !== undefined && areOptions(before, command)) return [word, ...before, ...words.slice(n + 1)];
  }
  return words;
}

/** Whether these words are options of a command, or of one of its group, with their values. */
function areOptions(words: readonly string[], command: Command): boolean {
  const options = [command, ...command.commands].flatMap((one) => one.options);
  let n = 0;
  while (n < words.length) {
    const [flag, value] = words[n]!.split('=', 2);
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) return false;
    n += option.required && value === undefined ? 2 : 1;
  }
  // Otherwise the word behind them is the value of the last one.
  return n === words.length;
}
