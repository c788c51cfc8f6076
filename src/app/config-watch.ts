import { readFile } from 'node:fs/promises';
import { type Clock, errorMessage, type Logger, renderJson } from '../base/index.ts';
import { type Runnable, startOrder } from '../controller/index.ts';
import type { Config } from './config.ts';
import type { Setting } from './config-settings.ts';

/** The settings that a running program takes over from a changed file; all others need a restart. */
export const reloadableSettings: readonly string[] = ['logLevel', 'admission.omitEvents'];

interface LoadedConfig {
  readonly config: Config;
  readonly settings: readonly Setting[];
}

export interface ConfigReload {
  /** Calls with the new configuration after a change of a setting that can be taken over. */
  subscribe(listener: (config: Config) => void): void;
  readonly runnable: Runnable;
}

interface ConfigWatchOptions {
  readonly path: string;
  readonly loaded: LoadedConfig;
  /** Reads and checks the file again, with the same flags and environment. */
  readonly load: () => LoadedConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/**
 * Reads the file at intervals: a mounted ConfigMap changes by a swap of symbolic links, which a watch of the file does
 * not see. An invalid file changes nothing.
 */
export function createConfigWatch(options: ConfigWatchOptions): ConfigReload {
  const { path, load, clock, log, intervalMs = 5_000 } = options;
  const listeners: ((config: Config) => void)[] = [];
  let settings = options.loaded.settings;

  const takeOver = (loaded: LoadedConfig): void => {
    const changed = changedKeys(settings, loaded.settings);
    settings = loaded.settings;
    if (changed.length === 0) return;
    const later = changed.filter((key) => !reloadableSettings.includes(key));
    const now = changed.filter((key) => reloadableSettings.includes(key));
    if (now.length > 0) {
      for (const listener of listeners) listener(loaded.config);
      log.info('the configuration was reloaded', { settings: now });
    }
    if (later.length > 0) log.warn('a change of the configuration needs a restart', { settings: later });
  };

  return {
    subscribe: (listener) => void listeners.push(listener),
    runnable: {
      name: 'configuration',
      order: startOrder.setup,
      async run(signal) {
        // The first turn reads what changed since the program started.
        let text: string | undefined;
        // The file may change again between two reads of it: one mistake is one line.
        let mistake: string | undefined;
        while (!signal.aborted) {
          const now = await readText(path);
          if (now !== text) {
            text = now;
            try {
              takeOver(load());
              mistake = undefined;
            } catch (thrown) {
              const error = errorMessage(thrown);
              if (error !== mistake) log.warn('the changed configuration is not used', { error });
              mistake = error;
            }
          }
          await clock.sleep(intervalMs, signal).catch(() => {});
        }
      },
    },
  };
}

/** Undefined while the file cannot be read. */
async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function changedKeys(before: readonly Setting[], after: readonly Setting[]): readonly string[] {
  const values = new Map(before.map(({ key, value }) => [key, renderJson(value ?? null)]));
  return after.filter(({ key, value }) => values.get(key) !== renderJson(value ?? null)).map(({ key }) => key);
}
