import { ownerLabel } from '../api/index.ts';
import { isJsonObject, parseJson, rfc3339 } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { SyncResult } from './result.ts';

interface RunStoreOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly installation: string;
  readonly redact: (text: string) => string;
}

/** The last runs in the ConfigMap `<installation>-sync-status`, the newest first, for people and the dashboard. */
interface RunStore {
  add(run: RunOutcome, signal: AbortSignal): Promise<void>;
}

/** A run, or why there was none. */
type RunOutcome =
  | { readonly endedAtMs: number; readonly result: SyncResult }
  | { readonly endedAtMs: number; readonly error: string; readonly isDryRun: boolean };

const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const maxRuns = 20;
const maxFailures = 10;
const maxReason = 300;

export function createRunStore({ client, namespace, installation, redact }: RunStoreOptions): RunStore {
  const name = `${installation}-sync-status`;
  return {
    async add(run, signal) {
      const present = await client.get<KubeObject>(configMaps, { namespace, name }, { signal }).catch((thrown) => {
        if (isKubeError(thrown, 'kube-not-found')) return undefined;
        throw thrown;
      });
      const runs = [entryOf(run, redact), ...runsOf(present)].slice(0, maxRuns);
      const data = { runs: JSON.stringify(runs) };
      if (present) {
        await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data } }, { signal });
        return;
      }
      const metadata = { name, namespace, labels: { [ownerLabel]: installation } };
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { signal });
    },
  };
}

/** Empty if somebody wrote something else there. */
function runsOf(object: KubeObject | undefined): readonly unknown[] {
  const data = object?.['data'];
  const text = isJsonObject(data) ? data['runs'] : undefined;
  if (typeof text !== 'string') return [];
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function entryOf(run: RunOutcome, redact: (text: string) => string): object {
  const at = rfc3339(run.endedAtMs);
  const short = (text: string) => redact(text).slice(0, maxReason);
  if ('error' in run)
    return { at, outcome: 'not-run', isDryRun: run.isDryRun, durationMs: 0, failures: [short(run.error)] };
  const { outcome, isDryRun, durationMs, unchanged, failed, ...rest } = run.result;
  return {
    at,
    outcome,
    isDryRun,
    durationMs: Math.round(durationMs),
    applied: rest.applied.length,
    updated: rest.updated.length,
    removed: rest.removed.length,
    failed: failed.length,
    rolledBack: rest.rolledBack.length,
    unchanged,
    failures: failed.slice(0, maxFailures).map(({ label, reason }) => short(`${label}: ${reason}`)),
  };
}
