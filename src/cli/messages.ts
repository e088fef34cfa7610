/**
 * Messages in the words of the command line: fields of a request become the options of the command, and commands that a
 * message proposes work on the folder of the command.
 */
import type { Command } from 'commander';
import { indexSettings, shellWord } from './options.js';

/** The command that runs. Undefined before one is chosen. */
let running: Command | undefined;

/** Says which command the messages are of, from now on. */
export function messagesOf(command: Command): void {
  running = command;
}

/** A proposed command that can name a folder, and does not. */
const PROPOSED = /`(priorart (?!embed\b)[a-z][^`]*)`/g;
const NEEDS_NO_FOLDER = /--(?:data|help|schema|engine)\b/;

/**
 * Adds `--data` to the commands in backticks that a message proposes, if the running command has got its folder by an
 * option. What comes from the environment, or is the default, holds for the proposed command, too.
 */
export function proposing(message: string): string {
  const where = whereGiven();
  if (where === undefined) return message;
  return message.replace(PROPOSED, (whole, proposed: string) =>
    NEEDS_NO_FOLDER.test(proposed) ? whole : `\`${proposed} --data ${shellWord(where)}\``,
  );
}

/** The data folder, if an option of the running command names it or a file of settings. */
function whereGiven(): string | undefined {
  const flags = running?.opts() ?? {};
  if (flags['data'] !== undefined) return String(flags['data']);
  if (flags['settings'] === undefined) return undefined;
  try {
    return indexSettings(flags).data;
  } catch {
    // The message tells of the fault in the settings.
    return undefined;
  }
}

/** A value in a message, as `shown` in src/search/invalid.ts writes it. */
const VALUE = /("(?:[^"\\]|\\.)*")/;
/** The field at the start of a complaint, such as `countries[1]:` or `date_range.from:`. */
const SUBJECT = /(^|\. )([a-z]+(?:[._][a-z]+)*)(?:\[\d+\])?(?=:)/g;
/** A field within a complaint. Fields of one word could be any word. */
const WITHIN = /(?<![\w.-])([a-z]+(?:[._][a-z]+)+)(?![\w.-]*[\w-])/g;
/** A field with the value that it should have: `expected collapse "family"`. */
const WITH_VALUE = /(?<=expected )([a-z_]+) "(\w+)"/g;

/** Names the options of the running command instead of the fields of a request. */
export function inOptions(message: string): string {
  const options = optionsByField();
  const optionOf = (field: string) => options.get(field.replaceAll('.', '_'));
  const withValues = message.replace(WITH_VALUE, (whole, field: string, value: string) => {
    const option = optionOf(field);
    return option === undefined ? whole : `${option} ${value}`;
  });
  // Values stay as they are.
  return withValues
    .split(VALUE)
    .map((part, n) =>
      n % 2 !== 0
        ? part
        : part
            .replace(SUBJECT, (whole, before: string, field: string) => {
              const option = optionOf(field);
              return option === undefined ? whole : before + option;
            })
            .replace(WITHIN, (field) => optionOf(field) ?? field),
    )
    .join('');
}

/** Options of the running command, by the field that each stands for. `--add-environment` adds one of the field `environment`. */
function optionsByField(): ReadonlyMap<string, string> {
  const flags = (running?.options ?? []).flatMap(({ long }) => (long ? [long] : []));
  const byField = (prefix: string) =>
    flags
      .filter((flag) => flag.startsWith(prefix))
      .map((flag) => [flag.slice(prefix.length).replaceAll('-', '_'), flag] as const);
  return new Map([...byField('--add-'), ...byField('--')]);
}
