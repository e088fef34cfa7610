/** Finds a Java that OpenSearch runs on. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetupError } from '../setup/child.mjs';

/** The oldest Java that OpenSearch 3 runs on. */
const LEAST_VERSION = 21;
/** Where Linux distributions and installers put Java. */
const PLACES = ['/usr/lib/jvm', '/usr/local/lib/jvm', '/opt'];

/**
 * @returns {{java: string, version: number}} path of the program, and its major version
 * @throws {SetupError} if there is no Java, or only an older one
 */
export function findJava(env = process.env, places = PLACES) {
  const found = candidates(env, places).map((java) => ({ java, version: versionOf(java) }));
  const suitable = found.find(({ version }) => version >= LEAST_VERSION);
  if (suitable) return suitable;
  const old = found.filter(({ version }) => version > 0).map(({ java, version }) => `${java} is ${version}`);
  throw new SetupError(
    `OpenSearch needs Java ${LEAST_VERSION} or newer, and ${old.length > 0 ? `only older ones were found (${old.join(', ')})` : 'none was found'}. ` +
      'Install a Java runtime, such as Temurin 25, or set JAVA_HOME to the folder of one.',
  );
}

/** Programs that may be Java: that of the environment, those of the path, installed ones. Newer ones first. */
function candidates(env, places) {
  const homes = [env.OPENSEARCH_JAVA_HOME, env.JAVA_HOME].filter(Boolean).map((home) => join(home, 'bin'));
  const installed = places.flatMap((place) =>
    existsSync(place) ? readdirSync(place).map((name) => join(place, name, 'bin')) : [],
  );
  const folders = [
    ...homes,
    ...(env.PATH ?? '').split(delimiter).filter(Boolean),
    ...installed.sort().reverse(),
  ];
  return [...new Set(folders.map((folder) => join(folder, 'java')))].filter((java) => existsSync(java));
}

/** Major version of a Java; 0 if the program does not say it. */
function versionOf(java) {
  // It is written to stderr: `openjdk version "25.0.3" 2026-04-21 LTS`.
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d{1,4})/.exec(stderr ?? '')?.[1] ?? 0);
}
