/**
 * The log: one JSON object a line, on standard output. API keys, query texts, request headers and request bodies are
 * never logged. Callers name each field that they log; no object from a client is logged whole.
 */
import { type DestinationStream, type Level, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger } from 'pino';

/** Fields whose values are redacted, in case an object with one of them is logged by mistake. */
const SECRET_FIELDS = ['secret', 'authorization', '["x-api-key"]', 'cookie', 'password', 'token'];

/**
 * Makes the process's logger.
 * @param destination default: standard output
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

/** The time for pino, ISO 8601. Formatted once for all lines of a millisecond. */
function isoTime(): string {
  const ms = Date.now();
  if (ms !== lastTime.ms) lastTime = { ms, text: `,"time":"${new Date(ms).toISOString()}"` };
  return lastTime.text;
}

/** Writes a line. `members` are the members of its JSON object between time and message, without braces. */
export type LineWriter = (level: Level, members: string, message: string) => void;

/**
 * Makes a writer for the lines of every request. All their fields must be the program's own: the writer skips redaction
 * and pino's other work, which cost several times as much as the line. Destination and level are those of the log.
 */
export function lineWriter(log: Logger): LineWriter {
  const { streamSym } = pino.symbols as unknown as { streamSym: keyof Logger };
  const stream = log[streamSym] as unknown as DestinationStream;
  return (level, members, message) => {
    if (log.isLevelEnabled(level))
      stream.write(`{"level":"${level}"${isoTime()},${members},"msg":${JSON.stringify(message)}}\n`);
  };
}
