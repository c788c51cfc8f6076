import { expect, it } from 'vitest';
import { Cargo } from './cargo.ts';
import type { JobFact } from './facts.ts';
import { type TreeNode, treeOf } from './tree.ts';

const job = (name: string, madeBy: string, more: Partial<JobFact> = {}): JobFact => ({
  namespace: 'shop',
  name,
  origin: 'generated',
  state: 'succeeded',
  image: 'nginx:1.25',
  madeBy,
  trigger: undefined,
  type: '',
  requestId: '',
  reported: '',
  createdAt: '',
  startedAt: '',
  endedAt: '',
  reason: '',
  message: '',
  isGone: false,
  ...more,
});
const cargoWith = (...jobs: readonly JobFact[]): Cargo => {
  const cargo = new Cargo(() => 1);
  for (const one of jobs) cargo.putJob(`${one.namespace}/${one.name}`, one);
  return cargo;
};
const lines = (node: TreeNode | undefined, depth = 0): readonly string[] =>
  node
    ? [`${'  '.repeat(depth)}${node.state} ${node.text}`, ...node.children.flatMap((one) => lines(one, depth + 1))]
    : [];

it('a policy of any kind that makes Jobs has those that it made, and not those of one with the same name', () => {
  const cargo = cargoWith(
    job('a', 'scan/make'),
    job('b', 'shop/scan/make'),
    job('c', 'bank/scan/make'),
    job('d', 'GeneratingPolicy/scan/'),
    job('e', 'NamespacedGeneratingPolicy/shop/scan/'),
  );
  const tree = (kind: string, namespace = 'shop') =>
    lines(treeOf(cargo, kind, namespace, 'scan')).map((line) => line.trim());
  expect(tree('clusterpolicy')).toEqual(['note ClusterPolicy scan', 'yes Job shop/a succeeded by scan/make']);
  expect(tree('cpol', 'other')).toHaveLength(2);
  expect(tree('policy')).toEqual(['note Policy shop/scan', 'yes Job shop/b succeeded by shop/scan/make']);
  expect(tree('Policies', 'bank')[1]).toContain('Job shop/c');
  expect(tree('policy', 'other')).toEqual([]);
  expect(tree('gpol')).toEqual(['note GeneratingPolicy scan', 'yes Job shop/d succeeded by GeneratingPolicy/scan/']);
  expect(tree('namespacedgeneratingpolicies')[1]).toContain('Job shop/e');
});

it('a policy that is not ready says why, with Jobs and without', () => {
  const cargo = cargoWith(job('a', 'GeneratingPolicy/scan/'));
  const policy = { apiVersion: 'policies.kyverno.io/v1', kind: 'GeneratingPolicy', namespace: '', problem: 'Failed' };
  for (const name of ['scan', 'idle'])
    cargo.putPolicy(`GeneratingPolicy/${name}`, { ...policy, name, message: 'no such function' });
  expect(lines(treeOf(cargo, 'gpol', 'shop', 'scan'))).toHaveLength(3);
  expect(lines(treeOf(cargo, 'gpol', 'shop', 'idle'))).toEqual([
    'note GeneratingPolicy idle',
    '  no Failed: no such function',
  ]);
});

it('a Job that was made has its policy, what it was made for and its image', () => {
  const trigger = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' };
  const cargo = cargoWith(job('a', 'scan/make', { trigger, state: 'failed', reason: 'BackoffLimitExceeded' }));
  expect(lines(treeOf(cargo, 'jobs', 'shop', 'a'))).toEqual([
    'note Job shop/a',
    '  no Job shop/a failed (BackoffLimitExceeded) by scan/make',
    '    note for Pod shop/web',
    '  note about docker.io/library/nginx:1.25',
  ]);
  expect(treeOf(cargo, 'job', 'shop', 'none')).toBeUndefined();
});
