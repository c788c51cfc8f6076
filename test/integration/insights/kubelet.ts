import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpClient } from '../../support/http-client.ts';

/** How long a pod runs by its annotation, in milliseconds. */
const durationMs = (text: string | undefined) => {
  const [, amount = '0', unit = 's'] = /^(\d+)(s|m)$/.exec(text ?? '') ?? [];
  return Number(amount) * (unit === 'm' ? 60_000 : 1000);
};

/**
 * Ends the pods of Jobs as the embedded cluster's kubelet does, by the same annotations: a control plane alone runs
 * nothing. Returns the way to stop it.
 */
export function playKubelet(api: HttpClient): () => Promise<void> {
  let isStopped = false;
  const seen = new Map<string, number>();
  const step = async () => {
    const { body } = await api.get('/api/v1/pods?labelSelector=job-name');
    for (const pod of body.items ?? []) {
      const { phase } = (pod['status'] ?? {}) as { phase?: string };
      const { uid, name, namespace, annotations = {} } = pod.metadata;
      if (phase !== 'Pending' && phase !== 'Running') continue;
      if (!seen.has(uid)) seen.set(uid, Date.now());
      if (Date.now() - seen.get(uid)! < durationMs(annotations['supercargo.dev/simulate-duration'])) continue;
      const end = annotations['supercargo.dev/simulate'] === 'fail' ? 'Failed' : 'Succeeded';
      await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { status: { phase: end } }, 'merge');
    }
  };
  const loop = (async () => {
    while (!isStopped) {
      // The cluster may be going away.
      await step().catch(() => undefined);
      await sleep(50);
    }
  })();
  return async () => {
    isStopped = true;
    await loop;
  };
}
