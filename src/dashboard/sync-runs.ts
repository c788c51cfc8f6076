import { isJsonObject, parseJson } from '../base/index.ts';
import { numberOf, textOf } from './fields.ts';
import type { SyncRunRow } from './protocol.ts';

export type SyncRun = SyncRunRow;

const outcomes = ['succeeded', 'failed', 'incomplete', 'not-run'] as const;
const maxRuns = 20;
const maxText = 1 << 20;

/** The runs in the ConfigMap `<installation>-sync-status`, the newest first. What cannot be read is left out. */
export function syncRunsOf(data: unknown): readonly SyncRun[] {
  const text = isJsonObject(data) ? data['runs'] : undefined;
  if (typeof text !== 'string' || text.length > maxText) return [];
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.slice(0, maxRuns).flatMap(syncRunOf) : [];
}

function syncRunOf(value: unknown): SyncRun[] {
  if (!isJsonObject(value)) return [];
  const outcome = outcomes.find((one) => one === value['outcome']);
  if (outcome === undefined) return [];
  const count = (key: string) => numberOf(value, key) ?? 0;
  const failures = value['failures'];
  return [
    {
      at: textOf(value, 'at'),
      outcome,
      isDryRun: value['isDryRun'] === true,
      durationMs: count('durationMs'),
      applied: count('applied'),
      updated: count('updated'),
      removed: count('removed'),
      failed: count('failed'),
      rolledBack: count('rolledBack'),
      unchanged: count('unchanged'),
      failures: Array.isArray(failures) ? failures.filter((one) => typeof one === 'string').slice(0, 10) : [],
    },
  ];
}
