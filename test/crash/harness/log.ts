/** Reads the record that shim.c writes of a program's changes to files. */
import { readFileSync } from 'node:fs';

/** One change, in the order of the changes. */
export type Change =
  | { kind: 'create'; path: string; inode: number }
  | { kind: 'write'; inode: number; offset: number; bytes: Buffer; durable: boolean }
  | { kind: 'truncate'; inode: number; size: number }
  | { kind: 'sync'; inode: number }
  | { kind: 'syncFolder' | 'unlink' | 'makeFolder' | 'removeFolder'; path: string }
  | { kind: 'rename'; from: string; to: string }
  /** Another name of a file. */
  | { kind: 'link'; from: string; to: string };

const HEAD = 32;
const DURABLE = 1;

/** @throws Error if the log ends within a record */
export function readLog(path: string): Change[] {
  const log = readFileSync(path);
  const changes: Change[] = [];
  for (let at = 0; at < log.length; ) {
    const kind = log.readUInt32LE(at);
    const flags = log.readUInt32LE(at + 4);
    const inode = Number(log.readBigUInt64LE(at + 8));
    const offset = Number(log.readBigUInt64LE(at + 16));
    const middle = at + HEAD + log.readUInt32LE(at + 24);
    const end = middle + log.readUInt32LE(at + 28);
    if (end > log.length) throw new Error(`${path} ends within a record`);
    const name = log.toString('utf8', at + HEAD, middle);
    const bytes = log.subarray(middle, end);
    changes.push(changeOf(kind, { flags, inode, offset, name, bytes }));
    at = end;
  }
  return changes;
}

function changeOf(
  kind: number,
  part: { flags: number; inode: number; offset: number; name: string; bytes: Buffer },
): Change {
  const { flags, inode, offset, name, bytes } = part;
  switch (kind) {
    case 1:
      return { kind: 'create', path: name, inode };
    case 2:
      return { kind: 'write', inode, offset, bytes, durable: (flags & DURABLE) !== 0 };
    case 3:
      return { kind: 'truncate', inode, size: offset };
    case 4:
      return { kind: 'sync', inode };
    case 5:
      return { kind: 'syncFolder', path: name };
    case 6:
      return { kind: 'rename', from: name, to: bytes.toString() };
    case 7:
      return { kind: 'unlink', path: name };
    case 8:
      return { kind: 'makeFolder', path: name };
    case 9:
      return { kind: 'removeFolder', path: name };
    case 10:
      return { kind: 'link', from: name, to: bytes.toString() };
    default:
      throw new Error(`record of unknown kind ${kind}`);
  }
}
