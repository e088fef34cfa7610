/** A small disk that can be filled: a tmpfs, mounted if the tests run as root. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Mounts a file system of the given size in MiB for a number of files and folders, or returns the reason why it cannot. */
export function smallDisk(
  t: TestContext,
  size: number,
  files = 10_000,
): { dir: string; grow(size: number): void } | string {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-disk-'));
  t.after(() => {
    spawnSync('umount', [dir]);
    rmdirSync(dir);
  });
  const mount = (...args: string[]) => spawnSync('mount', [...args, dir], { encoding: 'utf8' });
  const mounted = mount('-t', 'tmpfs', '-o', `size=${size}m,nr_inodes=${files}`, 'tmpfs');
  if (mounted.status !== 0) return `cannot mount a tmpfs: ${mounted.error?.message ?? mounted.stderr.trim()}`;
  const grow = (wanted: number) => assert.equal(mount('-o', `remount,size=${wanted}m`).status, 0);
  return { dir, grow };
}

/** Fills a file system except for the given KiB. Returns a function that removes the filling. */
export function filled(dir: string, left = 0): () => void {
  const path = join(dir, 'filling');
  const { bavail, bsize } = statfsSync(dir);
  writeFileSync(path, Buffer.alloc(bavail * bsize - (left << 10)));
  return () => rmSync(path);
}
