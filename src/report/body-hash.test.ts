import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { hashBody, hashNode } from './body-hash.ts';

const pod = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  spec,
});
const first = pod({ containers: [{ name: 'a', image: 'x' }], hostNetwork: false });

describe('the hash of a body', () => {
  test.each([
    ['the order of keys', pod({ hostNetwork: false, containers: [{ image: 'x', name: 'a' }] })],
    ['the node that the scheduler chose', pod({ ...(first['spec'] as object), nodeName: 'n1' })],
    ['the status', { ...first, status: { phase: 'Running' } }],
    ["the server's bookkeeping", pod(first['spec'] as object, { resourceVersion: '7', generation: 2 })],
  ])('does not depend on %s', (_, other) => {
    expect(hashBody(other)).toEqual(hashBody(first));
  });

  test.each([
    ['an image', pod({ containers: [{ name: 'a', image: 'y' }], hostNetwork: false })],
    ['a label', pod(first['spec'] as object, { labels: { a: 'b' } })],
    ['a text for a boolean', pod({ containers: [{ name: 'a', image: 'x' }], hostNetwork: 'false' })],
    ['a list for its only entry', pod({ containers: { name: 'a', image: 'x' }, hostNetwork: false })],
  ])('distinguishes %s', (_, other) => {
    expect(hashBody(other)).not.toEqual(hashBody(first));
  });

  test('does not include the node', () => {
    const [one, two] = ['n1', 'n2'].map((nodeName) => hashNode(pod({ nodeName })));
    expect(new Set([one, two, hashNode(first), hashNode({ ...first, spec: undefined })]).size).toBe(3);
  });
});
