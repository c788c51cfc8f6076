import { expect, it } from 'vitest';
import { eventually } from '../../test/support/wait.ts';
import { silentLogger, whenAborted } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { startClusterFacts } from './cluster-facts.ts';

const namespace = (resourceVersion: string, labels: object, annotations: object, phase = 'Active') => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', resourceVersion, uid: 'u', labels, annotations },
  status: { phase },
});

it('tells when the labels or the annotations of a namespace change, and of nothing else', async () => {
  const stop = new AbortController();
  const events = [
    namespace('2', {}, {}, 'Terminating'),
    namespace('3', {}, { tier: 'gold' }),
    namespace('4', {}, { tier: 'gold' }, 'Terminating'),
    namespace('5', { team: 'a' }, { tier: 'gold' }),
  ];
  const told: string[] = [];
  const facts = startClusterFacts({
    client: {
      async *pages({ resource }: ResourceType) {
        yield { resourceVersion: '1', items: resource === 'namespaces' ? [namespace('1', {}, {})] : [] };
      },
      async *watch({ resource }: ResourceType, { signal }: { readonly signal: AbortSignal }) {
        if (resource === 'namespaces') for (const object of events) yield { type: 'MODIFIED', object };
        await whenAborted(signal);
      },
    } as never,
    log: silentLogger,
    signal: stop.signal,
    onNamespace: (name) => told.push(`${name} ${JSON.stringify(facts.namespaceLabels(name))}`),
    onConfigMap: () => {},
    onConfigMapsSynced: () => {},
    onDefinitions: () => {},
  });
  await eventually(() => expect(told.at(-1)).toBe('shop {"team":"a"}'));
  expect(told).toEqual(['shop {}', 'shop {"team":"a"}']);
  stop.abort();
  await facts.stopped();
});
