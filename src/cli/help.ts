/** `priorart help`: the help of a command, by name. Commander's own says nothing of an unknown name. */
import { Command } from 'commander';
import { unknownCommand } from './options.js';

/** The command of the program or of a group. */
export function helpCommand(): Command {
  return new Command('help')
    .description('display help for command')
    .usage('[command]')
    .argument('[command...]')
    .action((words: string[], _flags: unknown, help: Command) => commandOf(help.parent!, words).help());
}

/** @throws PriorartError `usage` if a word names no command */
function commandOf(group: Command, [word, ...more]: readonly string[]): Command {
  if (word === undefined) return group;
  const found = group.commands.find((one) => one.name() === word);
  if (found === undefined) throw unknownCommand(group, word);
  return commandOf(found, more);
}
