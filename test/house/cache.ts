/** The folder in which `.ci/run` keeps what it installs for tests. */
import { homedir } from 'node:os';
import { join } from 'node:path';

const { env } = process;
export const CACHE =
  env['PRIORART_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'priorart');
