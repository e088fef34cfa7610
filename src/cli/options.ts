/** Options that several commands share. */
import { Command } from 'commander';
import { loadConfig, SETTINGS, type SettingName } from '../config.js';
import { PriorartError } from '../errors.js';
import { DEFAULT_MODELS, type ModelsConfig, readModels, storedModels } from '../models/config.js';
import { Store } from '../store/store.js';

/** A command with `--data` that prints a result, also as JSON. */
export function dataCommand(name: string, description: string): Command {
  const command = new Command(name).description(description);
  return withSettings(command, ['data']).option('--json', 'print the result as one line of JSON');
}

/**
 * Has a command of a group run if none is named, as `keys` lists keys. Any other word is refused as the unknown
 * command that it is.
 */
export function asDefault(
  command: Command,
  action: (flags: Record<string, string | undefined>) => Promise<void>,
): Command {
  return command
    .usage('[options]')
    .argument('[word]')
    .action((word: string | undefined, flags: Record<string, string | undefined>) => {
      if (word !== undefined) throw new PriorartError('usage', `unknown command '${word}'`);
      return action(flags);
    });
}

/** Adds flags of the settings table; their values are checked by `loadConfig`. */
export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, description, unset, default: fallback } = SETTINGS[name];
    command.option(flag, `${description} (default: ${fallback ?? unset})`);
  }
  return command;
}

/** The settings that say which index is opened, and with which models. */
export function openOptions(flags: Record<string, unknown>): { data: string; models?: string } {
  const { data, models } = settings(flags);
  return { data, ...(models === undefined ? {} : { models }) };
}

/** The models that a command works with: those that the user names, else the data folder's, else the default ones. */
export async function modelsOf(flags: Record<string, unknown>): Promise<ModelsConfig> {
  const { data, models } = settings(flags);
  if (models !== undefined) return readModels(models);
  const store = await Store.openIfThere(data);
  if (store === undefined) return DEFAULT_MODELS;
  try {
    return storedModels(store.manifest().models, data);
  } finally {
    await store.close();
  }
}

/** The settings in force, from the flags of a command and the environment. */
export function settings(flags: Record<string, unknown>): ReturnType<typeof loadConfig> {
  return loadConfig({ flags: flags as Partial<Record<SettingName, string>> });
}
