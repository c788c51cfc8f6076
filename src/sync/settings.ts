import type { SettingsReader } from '../insights/index.ts';

/** What happens to the others when one policy fails: all are put back, or they are kept. */
export type SyncMode = 'atomic' | 'best-effort';

export interface SyncSettings {
  readonly mode: SyncMode;
  readonly isDryRun: boolean;
  /** Policies are checked by the engine and by the Kyverno CLI, not only by the API server. */
  readonly validates: boolean;
  /** An answer without a single policy is believed, and removes all that were synced. */
  readonly allowsEmpty: boolean;
  /** How much of what was synced one answer may remove, in per cent. */
  readonly maxRemovePercent: number;
  readonly intervalMs: number;
  readonly lockTimeoutMs: number;
  readonly lockFile: string | undefined;
  /** The Kyverno CLI to ask as well. */
  readonly kyvernoCli: string | undefined;
}

/** Reads the settings of a sync from the environment; mistakes are the reader's to tell. */
export function readSyncSettings(reader: SettingsReader): SyncSettings {
  return {
    mode: reader.choice('SYNC_MODE', 'atomic', ['atomic', 'best-effort']),
    isDryRun: reader.boolean('DRY_RUN', false),
    validates: reader.boolean('VALIDATE_POLICIES', true),
    allowsEmpty: reader.boolean('ALLOW_EMPTY', false),
    maxRemovePercent: reader.integer('ALLOW_REMOVE_SHARE', 50, { min: 0, max: 100 }),
    intervalMs: reader.durationMs('SYNC_INTERVAL', '15m'),
    lockTimeoutMs: reader.durationMs('LOCK_TIMEOUT', '30m'),
    lockFile: reader.optional('LOCK_FILE'),
    kyvernoCli: reader.optional('KYVERNO_CLI'),
  };
}
