import { describe, expect, it } from 'vitest';
import { pullSecretsOf } from '../inventory/index.ts';
import type { KubeObject } from '../object/index.ts';
import { changedImages, isImmutable, isRewritable, isTrackedByGitOps, podSpecFieldOf } from './workload.ts';

const spec = {
  initContainers: [{ name: 'init', image: 'i' }],
  containers: [{ name: 'main', image: 'm' }, { name: 'none' }, 'nonsense', { name: 'empty', image: '' }],
  ephemeralContainers: [{ name: 'debug', image: 'd' }],
};
const object = (kind: string, more: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'x/v1',
  kind,
  metadata: { name: 'x', namespace: 'default', ...metadata },
  ...more,
});
const owned = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'X', name: 'x', uid: '1', controller: true }] };

describe('the pod spec in a workload', () => {
  it.each([
    ['Deployment', { spec: { template: { spec } } }, '/spec/template/spec'],
    ['DaemonSet', { spec: { template: { spec } } }, '/spec/template/spec'],
    ['StatefulSet', { spec: { template: { spec } } }, '/spec/template/spec'],
    ['Job', { spec: { template: { spec } } }, '/spec/template/spec'],
    ['CronJob', { spec: { jobTemplate: { spec: { template: { spec } } } } }, '/spec/jobTemplate/spec/template/spec'],
    ['Pod', { spec }, '/spec'],
  ])('of a %s has every kind of container', (kind, more, pointer) => {
    expect(podSpecFieldOf(object(kind, more))?.images).toEqual([
      { name: 'init', image: 'i', pointer: `${pointer}/initContainers/0/image` },
      { name: 'main', image: 'm', pointer: `${pointer}/containers/0/image` },
      { name: 'debug', image: 'd', pointer: `${pointer}/ephemeralContainers/0/image` },
    ]);
  });

  it.each([
    ['ReplicaSet', { spec: { template: { spec } } }],
    ['Deployment', {}],
    ['Deployment', { spec: { template: null } }],
    ['Deployment', { spec: { template: { spec: [] } } }],
    ['CronJob', { spec: { template: { spec } } }],
  ])('of a %s is not looked for where there is none', (kind, more) => {
    expect(podSpecFieldOf(object(kind, more))).toBeUndefined();
  });

  it('returns the containers that an earlier state did not have', () => {
    const before = podSpecFieldOf(object('Pod', { spec: { containers: [{ name: 'main', image: 'm' }] } }));
    const now = podSpecFieldOf(object('Pod', { spec }))!;
    expect(changedImages(now, before).map(({ name }) => name)).toEqual(['init', 'debug']);
    expect(changedImages(now, undefined)).toHaveLength(3);
  });

  it('names the secrets that the kubelet would use', () => {
    const pod = (more: object) => podSpecFieldOf(object('Pod', { spec: { ...spec, ...more } }))!;
    expect(pullSecretsOf(pod({}), 'ns')).toEqual([{ namespace: 'ns', serviceAccount: 'default' }]);
    const more = { imagePullSecrets: [{ name: 'a' }, {}, { name: 'b' }], serviceAccountName: 'robot' };
    expect(pullSecretsOf(pod(more), 'ns')).toEqual([
      { namespace: 'ns', name: 'a' },
      { namespace: 'ns', name: 'b' },
      { namespace: 'ns', serviceAccount: 'robot' },
    ]);
  });
});

describe('rewriting', () => {
  it('applies to objects written by users, or to pods in `pods` mode', () => {
    expect(isRewritable(object('Deployment'), 'workloads')).toBe(true);
    expect(isRewritable(object('Deployment', {}, owned), 'workloads')).toBe(false);
    expect(isRewritable(object('Job', {}, owned), 'workloads')).toBe(false);
    expect(isRewritable(object('Pod'), 'workloads')).toBe(false);
    expect(isRewritable(object('Pod', {}, owned), 'pods')).toBe(true);
    expect(isRewritable(object('Deployment'), 'pods')).toBe(false);
  });

  it('does not apply to immutable objects, nor to those managed by GitOps tools', () => {
    expect(['Job', 'Pod', 'Unheard'].map(isImmutable)).toEqual([true, true, true]);
    expect(['Deployment', 'DaemonSet', 'StatefulSet', 'CronJob'].some(isImmutable)).toBe(false);
    expect(isTrackedByGitOps(object('Deployment'))).toBe(false);
    expect(isTrackedByGitOps(object('Deployment', {}, { annotations: { 'meta.helm.sh/release-name': 'x' } }))).toBe(
      false,
    );
    expect(isTrackedByGitOps(object('Deployment', {}, { labels: { 'helm.toolkit.fluxcd.io/name': 'x' } }))).toBe(true);
    expect(
      isTrackedByGitOps(object('Deployment', {}, { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } })),
    ).toBe(true);
  });
});
