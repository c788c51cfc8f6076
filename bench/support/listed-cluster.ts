import type { KubeConnection, ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import type { ShownObjects } from './shown-objects.ts';

const pageSize = 500;

/** A cluster that lists these objects, and of which one Deployment changes when asked. */
export function createListedCluster({ kinds }: Pick<ShownObjects, 'kinds'>) {
  let wake: () => void = () => {};
  let changes = 0;
  const client = {
    async *pages(type: ResourceType) {
      const [count, make] = kinds[type.resource] ?? [0, () => ({})];
      for (let start = 0; start === 0 || start < count; start += pageSize) {
        const items = Array.from({ length: Math.min(pageSize, count - start) }, (_, k) => make(start + k));
        const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
        // As from the wire: no string is shared with another object.
        const parsed = JSON.parse(JSON.stringify(items)) as object[];
        yield {
          resourceVersion: '5000000',
          items: parsed.map((item) => ({ apiVersion, kind: type.kind, ...item }) as KubeObject),
        };
      }
    },
    async *watch(type: ResourceType, { signal }: { signal: AbortSignal }) {
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          if (type.resource === 'deployments') wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        if (signal.aborted) return;
        const object = kinds['deployments']![1](0) as KubeObject;
        const metadata = { ...object.metadata, resourceVersion: String(6_000_000 + ++changes) };
        yield { type: 'MODIFIED', object: { ...object, apiVersion: 'apps/v1', kind: 'Deployment', metadata } };
      }
    },
  };
  return { client: client as unknown as KubeConnection, change: () => wake() };
}
