/** Unpacks a zip file. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yauzl from 'yauzl';

/**
 * Unpacks a zip file into a folder.
 * @param {string} file
 * @param {string} folder
 * @param {number} strip number of leading folders of each entry that are left out
 */
export async function unpack(file, folder, strip) {
  const zip = await opened(file);
  mkdirSync(folder, { recursive: true });
  await new Promise((resolve, reject) => {
    zip.on('error', reject).on('end', resolve);
    zip.on('entry', (entry) => {
      write(zip, entry, folder, strip).then(() => zip.readEntry(), reject);
    });
    zip.readEntry();
  });
}

// Without `autoClose: false`, yauzl closes the file after the last entry. It refuses names that lead out of the folder.
function opened(file) {
  return new Promise((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

async function write(zip, entry, folder, strip) {
  const path = join(folder, ...entry.fileName.split('/').slice(strip));
  if (entry.fileName.endsWith('/')) {
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  const stream = await new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, found) => (error ? reject(error) : resolve(found)));
  });
  await pipeline(stream, createWriteStream(path));
}
