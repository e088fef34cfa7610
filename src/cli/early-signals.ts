/**
 * Signals that a server gets while its modules are loaded, for about a second. By default, SIGHUP would end it, and a service
 * manager would not start it again: it asked for settings to be read again. Within a container, SIGTERM would have no effect.
 */
const EARLY: Readonly<Partial<Record<NodeJS.Signals, () => void>>> = {
  // Nothing is open yet.
  SIGINT: () => process.exit(0),
  SIGTERM: () => process.exit(0),
  // The settings are not read yet.
  SIGHUP: () => {},
};
const SIGNALS = Object.entries(EARLY) as [NodeJS.Signals, () => void][];

export function holdSignals(): void {
  for (const [signal, act] of SIGNALS) process.on(signal, act);
}

/** To be called when the server has listeners of its own. */
export function releaseSignals(): void {
  for (const [signal, act] of SIGNALS) process.off(signal, act);
}
