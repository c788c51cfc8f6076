import { ownerLabel } from '../api/index.ts';
import { isJsonObject, parseJson, SupercargoError } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { labelOf } from './manifest.ts';
import type { JobOutcome } from './outcome.ts';

/**
 * State that must survive a restart and has no Job to hold it: jobs that run in our process, and unreported outcomes.
 */
interface JobRecord {
  readonly id: string;
  readonly reportType: string;
  /** Undefined while the job runs. */
  readonly outcome?: Pick<JobOutcome, 'status' | 'reason'>;
}

/** One ConfigMap with one key per entry. Keys are patched one by one, so that writers do not conflict. */
export interface JobStore {
  list(signal: AbortSignal): Promise<readonly JobRecord[]>;
  put(entry: JobRecord, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

class JobStoreError extends SupercargoError {}

interface JobStoreOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly installation: string;
}

const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const maxReason = 500;

const jobStoreName = (installation: string) => `${installation}-on-demand-jobs`;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export function createJobStore({ client, namespace, installation }: JobStoreOptions): JobStore {
  const name = jobStoreName(installation);
  const read = async (signal: AbortSignal): Promise<ConfigMap | undefined> => {
    try {
      const map = await client.get<ConfigMap>(configMaps, { namespace, name }, { signal });
      if (map.metadata.labels?.[ownerLabel] === installation) return map;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }
    throw new JobStoreError(
      'jobs-ledger-foreign',
      `ConfigMap ${namespace}/${name} is not ours (label ${ownerLabel}: ${installation} is missing); rename or remove it`,
    );
  };
  const change = async (data: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<void> => {
    const map = await read(signal);
    if (map !== undefined) {
      await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data } }, { signal });
      return;
    }
    const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
    if (Object.keys(kept).length === 0) return;
    const labels = { [ownerLabel]: installation };
    const fresh = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data: kept };
    try {
      await client.create(configMaps, fresh, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
      await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { data } }, { signal });
    }
  };
  return {
    list: async (signal) => Object.values((await read(signal))?.data ?? {}).flatMap((text) => parseEntry(text) ?? []),
    put: ({ id, reportType, outcome }, signal) => {
      const short = outcome && { status: outcome.status, reason: outcome.reason.slice(0, maxReason) };
      return change({ [labelOf(id)]: JSON.stringify({ id, reportType, outcome: short }) }, signal);
    },
    remove: (id, signal) => change({ [labelOf(id)]: null }, signal),
  };
}

function parseEntry(text: string): JobRecord | undefined {
  try {
    const value = parseJson(text);
    if (!isJsonObject(value) || typeof value['id'] !== 'string' || typeof value['reportType'] !== 'string')
      return undefined;
    const { id, reportType, outcome } = value;
    if (!isJsonObject(outcome)) return { id, reportType };
    const status = outcome['status'] === 'completed' ? 'completed' : 'failed';
    return { id, reportType, outcome: { status, reason: String(outcome['reason'] ?? '') } };
  } catch {
    return undefined;
  }
}
