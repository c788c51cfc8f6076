import type { SettingsReader } from '../insights/index.ts';

/** What happens to the other policies when one fails: roll back all, or keep them. */
export type SyncMode = 'atomic' | 'best-effort';

export interface SyncSettings {
  readonly mode: SyncMode;
  readonly isDryRun: boolean;
  /** Policies are also checked by the engine and by the Kyverno CLI, not only by the API server. */
  readonly validates: boolean;
  /** Accepts an empty response, which removes all synced policies. */
  readonly allowsEmpty: boolean;
  /** The share of synced policies that one response may remove, in per cent. */
  readonly maxRemovePercent: number;
  readonly intervalMs: number;
  readonly lockTimeoutMs: number;
  readonly lockFile: string | undefined;
  /** The Kyverno CLI for the additional check. */
  readonly kyvernoCli: string | undefined;
}

/** Reads the settings of a sync from the environment; the reader collects errors. */
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
