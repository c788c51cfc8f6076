import { expect, it } from 'vitest';
import { waitForDeployments, whatIsMissing } from './install-wait.ts';

const deployment = (generation: number, status: object) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x', namespace: 'home', generation },
  spec: { replicas: 2 },
  status,
});
const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

it.each([
  [deployment(2, done), undefined],
  [deployment(3, done), 'the controller manager has not seen it'],
  [deployment(2, { ...done, updatedReplicas: 1 }), '1 of 2 pods are up to date'],
  [deployment(2, { ...done, replicas: 3 }), '1 old pods are still there'],
  [deployment(2, { ...done, availableReplicas: 0 }), '0 of 2 pods are available'],
])('%j lacks %s', (object, missing) => {
  expect(whatIsMissing(object)).toBe(missing);
});

it('gives up at its time limit and says what is missing', async () => {
  let now = 0;
  const clock = { monotonicMs: () => now, sleep: async () => void (now += 1_000) };
  const object = deployment(2, { ...done, availableReplicas: 1 });
  const client = { get: async () => object } as never;
  const ready: string[] = [];
  const wait = () =>
    waitForDeployments([object], { client, clock, timeoutMs: 5_000, onReady: (one) => ready.push(one) });
  await expect(wait()).rejects.toThrow('deployment/x is not ready: 1 of 2 pods are available');
  object.status = done;
  await wait();
  expect(ready).toEqual(['x']);
});
