/** Downloads OpenSearch and its k-NN plugin into the cache, and unpacks them. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runCaptured, SetupError } from '../setup/child.mjs';
import { unpack } from './zip.mjs';

/** Environment variable with the address of a Maven repository, for machines without Maven. */
export const REPOSITORY = 'PRIORART_MAVEN_URL';

const VERSION = '3.5.0';
/** The zips, as Maven names them. The versions of server and plugin belong together. */
export const ARTIFACTS = [
  {
    group: 'org.opensearch.distribution.integ-test-zip',
    name: 'opensearch',
    version: VERSION,
    sha512:
      'ca4c739cb0457de59df464f8f01eafb962ba140c41a649d29a2f5306cb59b436d76742a8e710c1493f3a68080e5f55fe5f9bf929cc3b0a6e04c6f87061a2e2a3',
  },
  {
    group: 'org.opensearch.plugin',
    name: 'opensearch-knn',
    version: `${VERSION}.0`,
    sha512:
      'eb93646b9fc589ab69756bb628f7e5c0eb98e7dc2b41fe0f45a9dcd1bd694f179f714d469e8609995836ff95076fd5583502fdb2de98b10410fd93743bd83acc',
  },
];

const fileOf = ({ name, version }) => `${name}-${version}.zip`;

/** Folder of the unpacked server in a cache folder. */
export const homeIn = (cache) => join(cache, `opensearch-${VERSION}-knn`);

/** Whether the server is unpacked in a cache folder. */
export const isInstalled = (cache) => existsSync(homeIn(cache));

/**
 * Makes sure that the server with its plugin is in a cache folder.
 * @param {string} cache
 * @param {(text: string) => void} report
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string>} folder of the server
 * @throws {SetupError} if a download fails, or has another checksum
 */
export async function install(cache, report, env = process.env, artifacts = ARTIFACTS) {
  const home = homeIn(cache);
  if (existsSync(home)) return home;
  mkdirSync(cache, { recursive: true });
  const zips = [];
  for (const artifact of artifacts) zips.push(await download(artifact, cache, report, env));
  const part = `${home}.part`;
  rmSync(part, { recursive: true, force: true });
  report('unpacking');
  await unpack(zips[0], part, 1);
  await unpack(zips[1], join(part, 'plugins', 'opensearch-knn'), 0);
  renameSync(part, home);
  return home;
}

/** The zip of an artifact in the cache, after its checksum was compared. */
async function download(artifact, cache, report, env) {
  const file = fileOf(artifact);
  const path = join(cache, file);
  if (existsSync(path) && (await sha512(path)) === artifact.sha512) return path;
  const part = join(cache, 'download');
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  report(`downloading ${file}`);
  if (env[REPOSITORY]) await fromRepository(artifact, join(part, file), env[REPOSITORY]);
  else if (hasMaven(env)) await fromMaven(artifact, part, env);
  else {
    throw new SetupError(
      `${file} has to be downloaded, and this machine has no Maven. Install it (Debian: apt-get install maven), ` +
        `or set ${REPOSITORY} to the address of a Maven repository.`,
    );
  }
  const found = await sha512(join(part, file));
  if (found !== artifact.sha512) {
    rmSync(part, { recursive: true, force: true });
    throw new SetupError(
      `${file} has the SHA-512 ${found.slice(0, 16)}…, expected ${artifact.sha512.slice(0, 16)}…. ` +
        'Check the mirror from which Maven downloads; the file was deleted.',
    );
  }
  renameSync(join(part, file), path);
  rmSync(part, { recursive: true, force: true });
  return path;
}

function hasMaven(env) {
  return spawnSync('mvn', ['--version'], { env, stdio: 'ignore' }).status === 0;
}

/** Maven knows the mirrors, proxies and certificates of this machine. */
async function fromMaven({ group, name, version }, folder, env) {
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  const args = ['-B', goal, `-Dartifact=${group}:${name}:${version}:zip`, `-DoutputDirectory=${folder}`];
  const { code, lines } = await runCaptured('mvn', args, { env });
  if (code === 0) return;
  const errors = lines.filter((line) => line.includes('ERROR')).slice(0, 5);
  throw new SetupError(
    `Maven could not download ${name} ${version}. Check the network and the mirrors in Maven's settings.xml. ` +
      `It says:\n${errors.join('\n')}`,
  );
}

/** A GET by the layout of Maven repositories. */
async function fromRepository({ group, name, version }, path, repository) {
  const base = repository.endsWith('/') ? repository : `${repository}/`;
  const url = new URL(`${group.replaceAll('.', '/')}/${name}/${version}/${name}-${version}.zip`, base);
  const response = await fetch(url).catch((error) => {
    throw new SetupError(
      `${url} cannot be reached: ${error.cause?.message ?? error.message}; check ${REPOSITORY}.`,
    );
  });
  if (!response.ok || response.body === null) {
    throw new SetupError(`${url} was answered with ${response.status}; check ${REPOSITORY}.`);
  }
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path));
}

async function sha512(path) {
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
