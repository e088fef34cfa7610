/**
 * Messages in the words of the command line: fields of a request become the options of the command, settings are named by
 * where they are given, and commands that a message proposes work on the index of the command.
 */
import type { Command } from 'commander';
import { SETTINGS, type SettingName } from '../config.js';
import { givenSettings } from '../load-config.js';
import { whereGiven } from './options.js';

/** The command that runs. Undefined before one is chosen. */
let running: Command | undefined;

/** Says which command the messages are of, from now on. */
export function messagesOf(command: Command): void {
  running = command;
}

/** A proposed command that can name an index. */
const PROPOSED = /`(priorart (?!embed\b)[a-z][^`]*)`/g;
const NEEDS_NO_INDEX = /--(?:help|schema)\b/;

/**
 * Adds the options that name the index to the commands in backticks that a message proposes, if the running command has got
 * them: the data folder, or the cluster. What comes from the environment, or is the default, holds for the proposed command,
 * too.
 */
export function proposing(message: string): string {
  return message.replace(PROPOSED, (whole, proposed: string) => {
    if (NEEDS_NO_INDEX.test(proposed)) return whole;
    const missing = optionsFor(proposed.split(' ')[1]!).filter(({ flag }) => !proposed.includes(flag));
    return `\`${[proposed, ...missing.map(({ text }) => text)].join(' ')}\``;
  });
}

function optionsFor(proposed: string): ReturnType<typeof whereGiven> {
  try {
    return whereGiven(running?.opts() ?? {}, proposed);
  } catch {
    // The message tells of the fault in the settings.
    return [];
  }
}

/** The flags of settings, with their names. */
const FLAGS = new Map(
  Object.entries(SETTINGS).map(([name, { flag }]) => [flag.split(' ')[0]!, name as SettingName]),
);
/** A flag, or a proposed command, whose flags stay. */
const FLAG_OR_COMMAND = /`[^`]*`|(?<![\w-])--[a-z\d-]+/g;

/**
 * In a complaint about flags, names the variable or the settings file from which their values come. What checks a value
 * further than its form knows only the flag of its setting.
 */
export function withSources(message: string): string {
  if (!message.startsWith('--')) return message;
  const sources = sourcesOfSettings();
  return outsideValues(message, (part) =>
    part.replace(FLAG_OR_COMMAND, (flag) => sources?.get(FLAGS.get(flag)!)?.source ?? flag),
  );
}

function sourcesOfSettings(): ReturnType<typeof givenSettings> | undefined {
  try {
    return givenSettings({ flags: running?.opts() ?? {} });
  } catch {
    // The settings file is broken, and the command does not read it.
    return undefined;
  }
}

/** The field at the start of a complaint, such as `countries[1]:` or `date_range.from:`. */
const SUBJECT = /(^|\. )([a-z]+(?:[._][a-z]+)*)(?:\[\d+\])?(?=:)/g;
/** Words with what fields have in them. */
const WORD = /[\w.-]+/g;
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
  return outsideValues(withValues, (part) =>
    part
      .replace(SUBJECT, (whole, before: string, field: string) => {
        const option = optionOf(field);
        return option === undefined ? whole : before + option;
      })
      .replace(WORD, (word) => withinText(word, optionOf)),
  );
}

/** A word within a complaint, or the option if it is a field. Fields of one word could be any word. */
function withinText(word: string, optionOf: (field: string) => string | undefined): string {
  const field = word.endsWith('.') ? word.slice(0, -1) : word;
  const option = field.includes('_') || field.includes('.') ? optionOf(field) : undefined;
  return option === undefined ? word : option + word.slice(field.length);
}

/** Changes what is not quoted: values stay as they are. They are quoted as `shown` in src/search/invalid.ts does. */
function outsideValues(message: string, change: (part: string) => string): string {
  let [changed, from, isValue] = ['', 0, false];
  for (let at = 0; at <= message.length; at++) {
    if (isValue && message[at] === '\\') at++;
    else if (at === message.length || message[at] === '"') {
      const part = message.slice(from, at);
      changed += (isValue ? part : change(part)) + (message[at] ?? '');
      [from, isValue] = [at + 1, !isValue];
    }
  }
  // A value that was cut within an escape.
  return changed + message.slice(from);
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
