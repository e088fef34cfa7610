/** A real S3 server (versitygw, over a folder) for tests. `.ci/run` builds it; tests are skipped without it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket } from '../../src/drawings/s3/settings.js';
import { CACHE } from '../house/cache.js';
import { read } from '../house/checkout.js';
import { freePort } from '../http/free-port.js';

const [, VERSION] = /versitygw@(v[\d.]+)/.exec(read('test/house/go-tools.txt'))!;

function program(): string {
  return join(CACHE, `versitygw-${VERSION}`, 'versitygw');
}

/** Reason why a test that needs the server cannot run, or false if it can. */
export const noS3Server = existsSync(program()) ? false : 'no versitygw in the cache; .ci/run builds it';

export class S3Server {
  readonly bucket: Bucket;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, bucket: Bucket) {
    this.#child = child;
    this.bucket = bucket;
  }

  /** @param folder an empty folder; each folder in it is a bucket of this backend */
  static async start(folder: string): Promise<S3Server> {
    const port = await freePort();
    const credentials = { accessKeyId: 'test-access', secretAccessKey: 'test-secret-not-to-be-shown' };
    mkdirSync(join(folder, 'patents'), { recursive: true });
    const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder];
    const child = spawn(program(), args, {
      env: {
        ...process.env,
        ROOT_ACCESS_KEY: credentials.accessKeyId,
        ROOT_SECRET_KEY: credentials.secretAccessKey,
      },
      stdio: 'ignore',
    });
    const origin = new URL(`http://127.0.0.1:${port}`);
    for (let wait = 0; ; wait++) {
      const up = await fetch(origin).then(
        () => true,
        () => false,
      );
      if (up) break;
      if (wait > 200 || child.exitCode !== null) throw new Error('versitygw does not start');
      await sleep(50);
    }
    return new S3Server(child, {
      origin,
      bucketPath: '/patents/',
      prefix: 'drawings/',
      region: 'us-east-1',
      credentials,
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
