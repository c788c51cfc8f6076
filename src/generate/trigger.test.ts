import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { creationOf, isSince, lastChangeOf } from './trigger.ts';

const at = (second: number) => `2030-01-01T12:00:${String(second).padStart(2, '0')}Z`;
const written = (second: number, subresource?: string) => ({
  manager: 'kubectl',
  operation: 'Update' as const,
  time: at(second),
  ...(subresource ? { subresource } : {}),
});
const policy = (metadata: KubeObject['metadata']): KubeObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { creationTimestamp: at(10), resourceVersion: '100', generation: 1, ...metadata },
});
const pod = (resourceVersion: string, second: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { resourceVersion, creationTimestamp: at(second), managedFields: [written(second)] },
});

describe('whether an object was written since', () => {
  it('a policy was created is decided by the second, and within it by the resource version', () => {
    const begun = creationOf(policy({ managedFields: [written(10)] }));
    expect(isSince(begun, pod('200', 9))).toBe(false);
    expect(isSince(begun, pod('99', 10))).toBe(false);
    expect(isSince(begun, pod('101', 10))).toBe(true);
    expect(isSince(begun, pod('99', 11))).toBe(true);
  });

  it('counts as newer where the policy no longer has the version of its creation', () => {
    const sameManager = policy({ generation: 2, managedFields: [written(10)] });
    const status = policy({ managedFields: [written(10), written(10, 'status')] });
    for (const changed of [sameManager, status]) expect(isSince(creationOf(changed), pod('99', 10))).toBe(true);
  });

  it('a policy was changed is decided in the same way, unless its status may have been written after that', () => {
    const changed = policy({ generation: 2, managedFields: [written(20), written(11, 'status')] });
    expect(isSince(lastChangeOf(changed), pod('99', 20))).toBe(false);
    expect(isSince(lastChangeOf(changed), pod('101', 20))).toBe(true);
    expect(isSince(lastChangeOf(changed), pod('101', 19))).toBe(false);
    const withStatus = policy({ generation: 2, managedFields: [written(20), written(20, 'status')] });
    expect(isSince(lastChangeOf(withStatus), pod('99', 20))).toBe(true);
  });
});
