/**
 * Progress of long work, on stderr, since stdout may be parsed as JSON (`npm pack --json`). On a terminal,
 * one line that updates itself; elsewhere, a line every few seconds. Work that ends before `QUIET_MS` prints
 * nothing.
 */
const QUIET_MS = 1_500;
const TERMINAL_EVERY_MS = 250;
const PLAIN_EVERY_MS = 5_000;

/** Milliseconds as text: `8 s`, `1 min 05 s`. */
export function elapsed(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/**
 * Runs `work(report)`. `report(text)` sets the text of the current step.
 * @template T
 * @param {string} label name of the work, such as `native addon (avx2)`
 * @param {(report: (text: string) => void) => Promise<T>} work
 * @param {NodeJS.WriteStream} [stream]
 * @returns {Promise<T>}
 */
export async function withProgress(label, work, stream = process.stderr) {
  const started = Date.now();
  const terminal = Boolean(stream.isTTY);
  let detail = '';
  let shown = false;

  const line = () => `${label}: ${detail ? `${detail}, ` : ''}${elapsed(Date.now() - started)}`;
  const show = () => {
    shown = true;
    if (terminal) stream.write(`\r\x1b[2K${line().slice(0, (stream.columns || 80) - 1)}`);
    else stream.write(`${line()}\n`);
  };
  const finish = (outcome) => {
    if (!shown) return;
    if (terminal) stream.write('\r\x1b[2K');
    stream.write(`${label}: ${outcome} after ${elapsed(Date.now() - started)}\n`);
  };

  let repeat;
  const first = setTimeout(() => {
    show();
    repeat = setInterval(show, terminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS);
  }, QUIET_MS);
  try {
    const result = await work((text) => {
      detail = text;
    });
    finish('done');
    return result;
  } catch (error) {
    finish('failed');
    throw error;
  } finally {
    clearTimeout(first);
    clearInterval(repeat);
  }
}
