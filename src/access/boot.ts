/** Which start of the machine this is: counters that are not forced to the disk are of no use after the next. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';

/** What a system without a name for its boots says, and says always: no such file or program, or not for us. */
const NEVER_THERE = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']);

/**
 * The same in all processes until the machine starts again; undefined where the system does not tell: it is then
 * served more slowly, not less correctly.
 * @throws Error where it could not be read this time (no descriptor left, say). A process that took that for "does
 *   not tell" would count in another place than the others.
 */
export function bootId(read: (() => string) | undefined = READERS[platform]): string | undefined {
  if (read === undefined) return undefined;
  let text: string;
  try {
    text = read();
  } catch (error) {
    const { code, status } = error as NodeJS.ErrnoException & { status?: number | null };
    // A program that ran to its end and found nothing has a status.
    if (NEVER_THERE.has(code ?? '') || typeof status === 'number') return undefined;
    throw error;
  }
  const id = text.trim().toLowerCase();
  if (/^[0-9a-f-]{8,64}$/.test(id)) return id;
  throw new Error(`the system's name for this boot is ${JSON.stringify(text.slice(0, 80))}; expected a UUID`);
}

const READERS: Partial<Record<NodeJS.Platform, () => string>> = {
  linux: () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'),
  darwin: () => execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'latin1' }),
};
