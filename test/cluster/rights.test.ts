/** What each part of an installation may do and, above all, may not: asked of a real API server. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connect } from '../../src/app/connect.ts';
import { applyManifests, installManifests } from '../../src/app/install.ts';
import { parseYaml, silentLogger, systemClock } from '../../src/base/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

const place = { installation: 'x', namespace: 'home' };
const reviews: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

type Part = 'policies' | 'mirror' | 'automation' | 'insights';
const parts: readonly Part[] = ['policies', 'mirror', 'automation', 'insights'];
/** `verb resource[.group][/subresource][#name] [@namespace]`, and the parts that may do it. */
const matrix: readonly (readonly [string, readonly Part[]])[] = [
  ['get secrets @kube-system', []],
  ['get secrets @tenant', []],
  ['get secrets @mirrored', ['mirror']],
  ['list secrets @mirrored', []],
  ['list secrets', []],
  ['get secrets @home', []],
  ['create secrets @home', []],
  ['create secrets @tenant', []],
  ['get secrets#x-policies-webhook @home', ['policies']],
  ['update secrets#x-mirror-webhook @home', ['mirror']],
  ['create jobs.batch @tenant', []],
  ['create jobs.batch @kube-system', []],
  ['create jobs.batch @home', ['insights']],
  ['create pods @home', []],
  ['create pods/exec @tenant', []],
  ['create serviceaccounts/token @home', []],
  ['patch deployments.apps @tenant', ['mirror']],
  ['create deployments.apps @tenant', []],
  ['patch pods @tenant', []],
  ['delete pods @tenant', []],
  ['create clusterpolicies.kyverno.io', ['insights']],
  ['update clusterpolicies.kyverno.io/status', ['policies']],
  ['create policyreports.wgpolicyk8s.io @tenant', ['policies']],
  ['create mirroredimages.supercargo.dev', ['mirror']],
  ['create imagedetecteds.automation.gitops.io @tenant', ['automation']],
  ['get configmaps @tenant', ['policies']],
  ['update configmaps @tenant', []],
  ['update leases.coordination.k8s.io#x-mirror @home', ['mirror']],
  ['update leases.coordination.k8s.io#kube-scheduler @kube-system', []],
  ['update validatingwebhookconfigurations.admissionregistration.k8s.io#others', []],
  ['update mutatingwebhookconfigurations.admissionregistration.k8s.io#x-rewrite', ['mirror']],
  ['create clusterroles.rbac.authorization.k8s.io', []],
  ['escalate clusterroles.rbac.authorization.k8s.io', []],
  ['bind clusterroles.rbac.authorization.k8s.io', []],
  ['create rolebindings.rbac.authorization.k8s.io @home', []],
  ['impersonate users', []],
  ['impersonate serviceaccounts @home', []],
];

describe('the rights of an installation on a real API server', () => {
  let cluster: RealCluster | undefined;
  let connection: Connection | undefined;
  const ask = async (part: string, access: string) => {
    const [, verb, resource, group, subresource, name, namespace] =
      /^(\w+) (\w+)(?:\.([\w.]+))?(?:\/(\w+))?(?:#(\S+))?(?: @(\S+))?$/.exec(access)!;
    const resourceAttributes = { verb, resource, group, subresource, name, namespace };
    const user = `system:serviceaccount:home:x-${part}`;
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:home', 'system:authenticated'];
    const review: KubeObject = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user, groups, resourceAttributes },
    };
    const answer = await connection!.client.create<KubeObject>(reviews, review);
    return (answer['status'] as { readonly allowed: boolean }).allowed;
  };
  beforeAll(async () => {
    cluster = await startRealCluster({ controllerManager: true });
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const { client, discovery } = connection;
    const namespaces = (await discovery.byKind('v1/Namespace'))!;
    for (const name of ['tenant', 'mirrored'])
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const manifests = installManifests({
      ...place,
      image: 'i',
      replicas: 1,
      features: ['admission', 'generate', 'report', 'cleanup', 'mirror', 'detect', 'create', 'sync', 'jobs'],
      backupRegistry: 'r.example/copies',
      mirrorNamespaces: ['mirrored'],
    });
    await applyManifests(manifests, {
      client,
      discovery,
      ...place,
      clock: systemClock,
      force: false,
      onStep: () => {},
    });
    await eventually(async () => expect(await ask('mirror', 'get secrets @mirrored')).toBe(true));
  });
  afterAll(async () => {
    await connection?.client.close();
    await cluster?.stop();
  });

  it.each(matrix)('%s is allowed to %j alone', async (access, allowed) => {
    const answers = await Promise.all(parts.map(async (part) => ((await ask(part, access)) ? [part] : [])));
    expect(answers.flat()).toEqual(allowed);
  });

  it('gain what an administrator aggregates, as the shipped example does', async () => {
    const example = new URL('../../examples/unique-job-per-image/rbac.yaml', import.meta.url);
    const role = parseYaml(readFileSync(example, 'utf8')) as unknown as KubeObject;
    const type = await connection!.discovery.byKind('rbac.authorization.k8s.io/v1/ClusterRole');
    await connection!.client.create(type!, role);
    await eventually(async () => expect(await ask('policies', 'create jobs.batch @tenant')).toBe(true));
    expect(await ask('mirror', 'create jobs.batch @tenant')).toBe(false);
    expect(await ask('policies', 'delete jobs.batch @tenant')).toBe(false);
  });
});
