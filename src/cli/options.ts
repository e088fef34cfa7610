/** Options that several commands share. */
import { Command } from 'commander';
import { SETTINGS, type SettingName } from '../config.js';
import { PriorartError } from '../errors.js';
import { loadConfig } from '../load-config.js';
import { DEFAULT_MODELS, type ModelsConfig, readModels, storedModels } from '../models/config.js';
import { Store } from '../store/store.js';

/** A command with `--data` and `--json` that prints a result. */
export function dataCommand(name: string, description: string): Command {
  const command = new Command(name).description(description);
  return withSettings(command, ['data']).option('--json', 'print the result as one line of JSON');
}

/**
 * Makes a command the default of its group: `keys` alone lists keys. Other words are refused as unknown
 * commands.
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

/** Adds flags of the settings table. `loadConfig` checks their values. */
export function withSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, description, unset, default: fallback } = SETTINGS[name];
    command.option(flag, `${description} (default: ${fallback ?? unset})`);
  }
  return command;
}

/** Options to open an index: its folder, and models if given. */
export function openOptions(flags: Record<string, unknown>): { data: string; models?: string } {
  const { data, models } = settings(flags);
  return { data, ...(models === undefined ? {} : { models }) };
}

/** Models of a command: from `--models`, else of the data folder, else the default models. */
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

/** All settings, from the flags of a command and the environment. */
export function settings(flags: Record<string, unknown>): ReturnType<typeof loadConfig> {
  return loadConfig({ flags: flags as Partial<Record<SettingName, string>> });
}
