/** Options that several commands share. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Config, SETTINGS, type SettingName } from '../config.js';
import type { ClusterAddress, DrawingBucket } from '../engine-options.js';
import { PriorartError, whyUnreadable } from '../errors.js';
import { loadConfig } from '../load-config.js';
import { DEFAULT_MODELS, type ModelsConfig, readModels, storedModels } from '../models/config.js';
import { nearestName } from '../nearest-name.js';
import { Store } from '../store/store.js';

/** A command with `--data` and `--json` that prints a result. */
export function dataCommand(name: string, description: string): Command {
  const command = new Command(name).description(description);
  return withSettings(command, ['data']).option('--json', 'print the result as one line of JSON');
}

/**
 * Makes a command the default of its group: `keys` alone lists keys. Another word is refused as an unknown command,
 * or as an argument too many if the command is named.
 */
export function asDefault(
  command: Command,
  action: (flags: Record<string, string | undefined>) => Promise<void>,
): Command {
  return command
    .usage('[options]')
    .argument('[words...]')
    .action((words: string[], flags: Record<string, string | undefined>) => {
      if (words.length > 0) refuseWords(command, words);
      return action(flags);
    });
}

/** @throws PriorartError `usage`, or ends the program as commander does for too many arguments */
function refuseWords(command: Command, words: readonly string[]): never {
  const [word] = words as [string];
  const { parent } = command;
  if (parent?.args[0] === command.name()) {
    const got = `got ${words.length}`;
    command.error(`error: too many arguments for '${command.name()}'. Expected 0 arguments but ${got}.`);
  }
  // Commander takes a word behind an option for an argument of the default command.
  if (parent?.commands.some((one) => one.name() === word))
    throw new PriorartError(
      'usage',
      `'${word}' comes too late; expected \`priorart ${parent.name()} ${word} …\``,
    );
  throw unknownCommand(parent!, word);
}

/** The error for a word that names no command of a group, or of the program. */
export function unknownCommand(group: Command, word: string): PriorartError {
  const names = group.commands.map((one) => one.name()).filter((name) => name !== 'help');
  const { parent } = group;
  const help = `see \`${parent ? `${parent.name()} ` : ''}${group.name()} --help\``;
  return new PriorartError('usage', `unknown command '${word}'; ${hintOf(names, word, group)}${help}`);
}

/** The names of a short list, or the nearest one of a long list. */
function hintOf(names: readonly string[], word: string, group: Command): string {
  if (names.length === 0) return `${group.name()} has no commands; `;
  if (group.parent) return `expected ${names.join(', ')}; `;
  const near = nearestName(word, names);
  return near === undefined ? '' : `did you mean ${near}? `;
}

/** Adds flags of the settings table. `loadConfig` checks their values. */
export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, description, unset, default: fallback } = SETTINGS[name];
    command.option(flag, `${description} (default: ${fallback ?? unset})`);
  }
  return command;
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Settings of an engine on a cluster. */
export const OF_A_CLUSTER = [
  'engine',
  'opensearchNodes',
  'opensearchIndex',
  'opensearchUsername',
  'opensearchPassword',
  'opensearchCa',
  'opensearchKnnEngine',
  'opensearchShards',
  'opensearchReplicas',
  'opensearchTimeoutMs',
] as const satisfies SettingName[];

/** Settings of the bucket with drawings. */
export const OF_A_BUCKET = [
  's3Bucket',
  's3Endpoint',
  's3Region',
  's3Prefix',
] as const satisfies SettingName[];

/** Settings that say which index is opened. Those behind the engine are of an index on a cluster. */
const OF_AN_INDEX = ['data', 'models', 'engine'] as const satisfies SettingName[];
const OF_A_REMOTE_INDEX = [...OF_A_CLUSTER, ...OF_A_BUCKET] as const satisfies SettingName[];

/**
 * The settings that say which index is opened; others have their defaults. Variables of a cluster are not read for a data
 * folder.
 */
export function indexSettings(flags: Record<string, unknown>): Config {
  const { engine } = settingsOf(flags, OF_AN_INDEX);
  const others = OF_A_REMOTE_INDEX.filter((name) => engine !== 'embedded' || flags[name] !== undefined);
  return settingsOf(flags, [...OF_AN_INDEX, ...others]);
}

/**
 * Settings from the flags of a command, the environment and the settings file. Settings that are not named have their defaults and are
 * not checked: an invalid variable stops only the commands that read it.
 * @param names the settings that the command reads
 */
export function settingsOf(flags: Record<string, unknown>, names: readonly SettingName[]): Config {
  // A field of a request may have the name of another setting: `--page` of `stats` and of `serve`.
  const own = Object.fromEntries(['settings' as const, ...names].map((name) => [name, flags[name]]));
  return loadConfig({ flags: own as Partial<Record<SettingName, string>>, only: ['settings', ...names] });
}

/** Options to open an index: its place (the data folder or a cluster), its folder, and models if given. */
export function openOptions(flags: Record<string, unknown>): {
  place: string | ClusterAddress;
  data: string;
  models?: string;
} {
  const config = indexSettings(flags);
  const { data, models } = config;
  return { place: clusterOf(config) ?? data, data, ...(models === undefined ? {} : { models }) };
}

/** The address of the cluster; undefined if the settings name the embedded engine. */
export function clusterOf(config: Config): ClusterAddress | undefined {
  return config.engine === 'embedded' ? undefined : addressOf(config);
}

/** The address of the cluster in the settings. @throws PriorartError `usage` if it is missing */
export function addressOf(config: Config): ClusterAddress {
  const { opensearchNodes: nodes, opensearchUsername: username, opensearchPassword: password } = config;
  if (nodes === undefined) {
    throw new PriorartError(
      'usage',
      'the cluster is not given; expected --opensearch-nodes, addresses of nodes',
    );
  }
  return {
    engine: 'opensearch',
    nodes,
    index: config.opensearchIndex,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(config.opensearchCa === undefined ? {} : { ca: certificates(config.opensearchCa) }),
    knnEngine: config.opensearchKnnEngine,
    shards: config.opensearchShards,
    replicas: config.opensearchReplicas,
    timeoutMs: config.opensearchTimeoutMs,
    ...(config.s3Bucket === undefined ? {} : { drawings: bucketIn(config, config.s3Bucket) }),
  };
}

function bucketIn({ s3Endpoint, s3Region, s3Prefix }: Config, bucket: string): DrawingBucket {
  return { bucket, endpoint: s3Endpoint, region: s3Region, prefix: s3Prefix };
}

function certificates(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `--opensearch-ca: the file ${JSON.stringify(file)} ${whyUnreadable(cause)}`;
    const remedy = 'expected certificates in PEM form; check the path';
    throw new PriorartError('usage', `${message}; ${remedy}`, { cause });
  }
}

/** Commands that work on the publications of a data folder only. */
const ON_A_FOLDER: ReadonlySet<string> = new Set(['check', 'drawings', 'reembed', 'snapshot']);
/** Commands that work on a cluster without --engine. */
const ON_A_CLUSTER: ReadonlySet<string> = new Set(['migrate', 'reindex']);

/** Settings without which a command does not reach an index on a cluster. */
const REACHES_A_CLUSTER = [
  'opensearchNodes',
  'opensearchIndex',
  'opensearchUsername',
  'opensearchPassword',
  'opensearchCa',
] as const satisfies SettingName[];

/**
 * Options that name the index of the running command, for a command that a message proposes. Those whose value comes from
 * the environment, or is the default, are omitted: they hold for the proposed command, too.
 * @param flags of the running command
 * @param proposed name of the proposed command
 * @param stated settings that are not omitted
 */
export function whereGiven(
  flags: Record<string, unknown>,
  proposed: string,
  stated: readonly SettingName[] = [],
): { flag: string; text: string }[] {
  const config = indexSettings(flags);
  const others = otherwise();
  const { engine } = config;
  const isOnCluster = ON_A_CLUSTER.has(proposed) || (engine !== 'embedded' && !ON_A_FOLDER.has(proposed));
  const takesEngine = !ON_A_CLUSTER.has(proposed) && !ON_A_FOLDER.has(proposed);
  const names: SettingName[] = [
    'data',
    ...(takesEngine ? (['engine'] as const) : []),
    ...(isOnCluster ? REACHES_A_CLUSTER : []),
  ];
  return names
    .filter((name) => stated.includes(name) || String(config[name]) !== String(others[name]))
    .map((name) => {
      const flag = SETTINGS[name].flag.split(' ')[0]!;
      const value = name === 'opensearchPassword' ? 'PASSWORD' : shellWord(String(config[name]));
      return { flag, text: `${flag} ${value}` };
    });
}

/** The settings of a command without options. */
function otherwise(): Config {
  try {
    return indexSettings({});
  } catch {
    // The running command has another file of settings than the environment, which is broken.
    return loadConfig({ env: {} });
  }
}

/** Options that name the index, for the command line of a hint. They state the data folder or the engine in any case. */
export function whereOf(flags: Record<string, unknown>, proposed: string): string {
  const stated = indexSettings(flags).engine === 'embedded' ? 'data' : 'engine';
  return whereGiven(flags, proposed, [stated])
    .map(({ text }) => text)
    .join(' ');
}

/**
 * Refuses a command that would work on the data folder although the settings name a cluster.
 * @throws PriorartError `usage`
 */
export function checkEngine(command: Command): void {
  const name = topName(command);
  if (ON_A_FOLDER.has(name)) requireFolder(`\`${name}\``, command.opts());
}

/**
 * @param what needs a data folder
 * @throws PriorartError `usage` if the settings name a cluster
 */
export function requireFolder(what: string, flags: Record<string, unknown>): void {
  if (indexSettings(flags).engine === 'embedded') return;
  const message = `${what} works on a data folder only, and the settings name the engine opensearch`;
  throw new PriorartError('usage', `${message}; leave out PRIORART_ENGINE for it`);
}

/** Name of a command, or of its group: `keys` of `keys list`. */
export function topName(command: Command): string {
  return command.parent?.parent ? topName(command.parent) : command.name();
}

/**
 * Models of a command: from `--models`, else of the data folder, else the default models.
 * @throws PriorartError `usage` without `--models` if the settings name a cluster, whose models may be others
 */
export async function modelsOf(flags: Record<string, unknown>): Promise<ModelsConfig> {
  const { data, engine, models } = indexSettings(flags);
  if (models !== undefined) return readModels(models);
  if (engine !== 'embedded') {
    throw new PriorartError(
      'usage',
      'no models given, and the settings name the engine opensearch; expected --models FILE with the models of the cluster',
    );
  }
  const store = await Store.openIfThere(data);
  if (store === undefined) return DEFAULT_MODELS;
  try {
    return storedModels(store.manifest().models, data);
  } finally {
    await store.close();
  }
}

/** All settings, from the flags of a command and the environment. */
export function settings(flags: Record<string, unknown>): Config {
  return loadConfig({ flags: flags as Partial<Record<SettingName, string>> });
}
