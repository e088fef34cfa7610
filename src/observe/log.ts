/**
 * The log: one JSON object a line, on standard output. Never logged: API keys, query texts, request headers
 * and bodies. Callers name the fields they log; nothing is logged whole that came from a client.
 */
import { type DestinationStream, type Level, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger } from 'pino';

/** A safety net: should an object with one of these fields ever be logged, the value is not. */
const SECRET_FIELDS = ['secret', 'authorization', '["x-api-key"]', 'cookie', 'password', 'token'];

/**
 * Makes the process's logger.
 * @param destination where lines go; standard output when absent
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, field[0] === '[' ? `*${field}` : `*.${field}`]),
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

let lastTime = { ms: Number.NaN, text: '' };

/** The time as pino takes it, ISO 8601; made once for all lines of a millisecond. */
function isoTime(): string {
  const ms = Date.now();
  if (ms !== lastTime.ms) lastTime = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
  return lastTime.text;
}

/** Writes a line; `members` are those of its JSON object between the time and the message, without braces. */
export type LineWriter = (level: Level, members: string, message: string) => void;

/**
 * For lines at every request, all of whose fields are the program's own: to the same place and at the same level as the
 * log's, without the safety net and the rest of pino's work, which cost several times what the line costs.
 */
export function lineWriter(log: Logger): LineWriter {
  const { streamSym } = pino.symbols as unknown as { streamSym: keyof Logger };
  const stream = log[streamSym] as unknown as DestinationStream;
  return (level, members, message) => {
    if (log.isLevelEnabled(level))
      stream.write(`{"level":"${level}"${isoTime()},${members},"msg":${JSON.stringify(message)}}\n`);
  };
}
