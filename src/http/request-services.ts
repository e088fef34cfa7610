/** The state of callers in a running server: their limits and the log of their requests. */
import { AdminSecret } from '../access/admin-secret.js';
import { CallLimits } from '../access/call-limits.js';
import { RequestLog } from '../access/request-log.js';
import type { AccessStore } from '../access/store.js';
import { WriterThread } from '../access/writer.js';
import type { Config } from '../config.js';
import { REQUEST_LOG_MB } from '../limits.js';
import type { Logger } from '../observe/log.js';
import { type Administration, administration } from './admission/administrator.js';

/** Settings; an absent setting has its default. */
export type RequestServicesConfig = Partial<
  Pick<
    Config,
    | 'adminSecret'
    | 'publicUrl'
    | 'tlsCert'
    | 'rateLimit'
    | 'publicRateLimit'
    | 'requestLogDays'
    | 'requestLogMb'
    | 'requestLogQueries'
  >
>;

export interface RequestServices {
  limits: CallLimits;
  requests: RequestLog;
  admin: Administration;
  close(): Promise<void>;
}

/** @param isInPlace whether the data folder is still the folder that was opened */
export function openRequestServices(
  access: AccessStore,
  config: RequestServicesConfig,
  log: Logger,
  isInPlace: () => boolean,
): RequestServices {
  const secret = new AdminSecret(access.folder, config.adminSecret);
  makeSecret(secret, access, log);
  const days = config.requestLogDays === undefined ? {} : { days: config.requestLogDays };
  const megabytes = config.requestLogMb ?? REQUEST_LOG_MB.default;
  const writer = new WriterThread({ folder: access.folder, megabytes, ...days });
  const limits = new CallLimits(access, {
    ...(config.rateLimit === undefined ? {} : { perKey: config.rateLimit }),
    ...(config.publicRateLimit === undefined ? {} : { perAddress: config.publicRateLimit }),
    isInPlace,
    keepCounters: () => writer.keepCounters(),
    onError: (error) => log.error({ err: error }, 'calls cannot be counted'),
  });
  const requests = new RequestLog(access.openLog({ writer, megabytes, ...days }), {
    queries: config.requestLogQueries === 'on',
    onError: (error) => log.error({ err: error }, 'the log of requests cannot be written'),
  });
  return {
    limits,
    requests,
    admin: administration(access, requests, secret, config),
    async close() {
      await limits.close();
      await requests.close();
      // The thread writes for both.
      await writer.close();
    },
  };
}

/**
 * Makes the secret of the administration. Also before the first account exists: the operator reads it at the start, and
 * the administration opens with the first account. A folder without accounts that cannot be written to is still served.
 */
function makeSecret(secret: AdminSecret, access: AccessStore, log: Logger): void {
  try {
    if (secret.make()) log.info({ file: secret.file }, 'made the secret of the administration');
  } catch (error) {
    if (access.isAvailable()) throw error;
    log.error({ err: error }, 'the secret of the administration cannot be made');
  }
}
