/**
 * Reads the settings of a process. A flag overrides the environment, the environment overrides the settings file, and
 * the file overrides the default.
 */
import { readFileSync, statSync } from 'node:fs';
import { type Config, SETTINGS, type SettingName } from './config.js';
import { PriorartError, whyUnreadable } from './errors.js';
import { SETTINGS_FILE_MAX_BYTES } from './limits.js';
import { nearestName } from './nearest-name.js';
import type { Setting } from './setting-kinds.js';
import { withoutPassword } from './written-value.js';

export interface ConfigSources {
  /** Defaults to `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Values of flags as typed, by setting name. */
  flags?: Readonly<Partial<Record<SettingName, string | undefined>>>;
  /** Settings that are read and checked. Others have their defaults. Absent: all. */
  only?: readonly SettingName[];
}

/** A setting's name in a settings file: its flag without the dashes. */
function nameInFile(setting: Setting<unknown>): string {
  return setting.flag.split(' ')[0]!.slice(2);
}

const EXPECTED = 'expected a JSON object of settings, such as {"port": 8080}';

/** Values of a settings file, by name. Numbers are converted to text. */
function settingsFile(path: string): ReadonlyMap<string, string> {
  const wrong = (why: string, cause?: unknown) =>
    new PriorartError('usage', `the settings file ${path} ${why}`, { cause });
  let found: unknown;
  try {
    found = JSON.parse(textOf(path, wrong));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    // The rest of the parser's message says once more that it is not JSON.
    const at = /at position (\d+)/.exec(cause.message)?.[1];
    throw wrong(`is not JSON${at ? ` from character ${Number(at) + 1} on` : ''}; ${EXPECTED}`, cause);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw wrong(`holds no JSON object; ${EXPECTED}`);
  const names = Object.values(SETTINGS).map((setting) => nameInFile(setting as Setting<unknown>));
  return new Map(
    Object.entries(found).map(([name, value]) => {
      if (!names.includes(name)) {
        const near = nearestName(name, names);
        const help = near
          ? `did you mean ${near}?`
          : 'expected names of flags without the dashes, such as port';
        throw wrong(`has an unknown setting ${JSON.stringify(name)}; ${help}`);
      }
      if (typeof value !== 'string' && typeof value !== 'number')
        throw wrong(`has ${JSON.stringify(value)} as ${name}; expected a text or a number`);
      return [name, String(value)];
    }),
  );
}

/** @param wrong makes the error, from what is wrong with the file */
function textOf(path: string, wrong: (why: string, cause?: unknown) => PriorartError): string {
  try {
    if (statSync(path).size <= SETTINGS_FILE_MAX_BYTES) return readFileSync(path, 'utf8');
  } catch (cause) {
    throw wrong(`${whyUnreadable(cause)}; ${EXPECTED}`, cause);
  }
  throw wrong(`has more than ${SETTINGS_FILE_MAX_BYTES} bytes; ${EXPECTED}`);
}

/** A setting as it is written, and where it comes from, as messages name it: a flag, a variable, or a settings file. */
export interface Given {
  text: string;
  source: string;
}

/**
 * The settings that are given. Their values are not checked.
 * @throws PriorartError `usage` for a settings file that cannot be read
 */
export function givenSettings({ env = process.env, flags = {} }: ConfigSources): Map<SettingName, Given> {
  const path = flags.settings ?? env[SETTINGS.settings.env];
  const file = path === undefined ? undefined : settingsFile(path);
  const given = new Map<SettingName, Given>();
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const inFile = nameInFile(setting);
    const sources: [text: string | undefined, source: string][] = [
      [flags[name], `--${inFile}`],
      [env[setting.env], setting.env],
      [file?.get(inFile), `the settings file ${path}, ${inFile}`],
    ];
    for (const [text, source] of sources) {
      if (text === undefined) continue;
      given.set(name, { text, source });
      break;
    }
  }
  return given;
}

/**
 * Reads and checks settings.
 * @throws PriorartError `usage`, with the flag, variable or file, the value and the expected values
 */
export function loadConfig(sources: ConfigSources = {}): Config {
  const given = givenSettings(sources);
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const found = given.get(name);
    if (found === undefined || sources.only?.includes(name) === false) {
      config[name] = setting.default;
      continue;
    }
    const { text, source } = found;
    const value = setting.read(text);
    if (value === undefined)
      throw new PriorartError(
        'usage',
        `${source}: got ${JSON.stringify(withoutPassword(text))}; expected ${setting.expected}`,
      );
    config[name] = value;
  }
  return config as Config;
}
