import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { ImageDetected, ImageResourcePolicy, ResourceTemplate } from '../../src/api/index.ts';
import { imageResourcePolicies, imagesDetected, resourceTemplates } from '../../src/api/index.ts';
import { installManifests } from '../../src/app/install.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createCreateMetrics, createCreator, type Publish } from '../../src/create/index.ts';
import { ImageIndex } from '../../src/inventory/index.ts';
import { applyMergePatch, findCondition } from '../../src/object/index.ts';

const apiVersion = 'automation.gitops.io/v1beta1';
const policy: ImageResourcePolicy = {
  apiVersion,
  kind: imageResourcePolicies.kind,
  metadata: { name: 'p', namespace: 'n' },
  spec: { ociRepository: { registry: 'r.example' }, policy: { alphabetical: {} }, templateRef: { name: 't' } },
};
const templateOf = (spec: Partial<ResourceTemplate['spec']>): ResourceTemplate => ({
  apiVersion,
  kind: resourceTemplates.kind,
  metadata: { name: 't', namespace: 'n' },
  spec: {
    template: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  tag: {{ .ImageTag }}\n',
    gitRepository: { url: 'https://git.example/r.git' },
    ...spec,
  },
});

/** A tenant creates an ImageDetected by hand; answers the condition and how many commits were asked for. */
async function forge(spec: Partial<ImageDetected['spec']>, template: Partial<ResourceTemplate['spec']> = {}) {
  let detection: ImageDetected = {
    apiVersion,
    kind: imagesDetected.kind,
    metadata: {
      name: 'forged',
      namespace: 'n',
      uid: 'u',
      creationTimestamp: '2020-01-01T00:00:00Z',
      labels: { 'supercargo.dev/owner': 'supercargo' },
    },
    spec: {
      imageName: 'web',
      imageTag: 'v1',
      imageDigest: `sha256:${'0'.repeat(64)}`,
      fullImageName: 'r.example/web:v1',
      sourcePolicy: { name: 'p' },
      detectedAt: '2026-01-01T00:00:00Z',
      ttlDays: 0,
      ...spec,
    },
  };
  let commits = 0;
  const publish: Publish = async () => {
    commits++;
    return { kind: 'committed', commit: 'c', files: [], isRecovered: false };
  };
  const reconcile = createCreator({
    client: {
      get: async () => detection as never,
      async patch(_, __, { body }) {
        detection = applyMergePatch(detection, body as never) as unknown as ImageDetected;
        return detection as never;
      },
      delete: async () => {},
    },
    detectionOf: () => detection,
    policyOf: () => policy,
    templateOf: () => templateOf(template),
    siblingsOf: () => [detection],
    prefixesOf: () => () => undefined,
    prefixOfDigest: () => undefined,
    inventory: { index: new ImageIndex(), hasSynced: true },
    schemaOf: () => undefined,
    dryRun: async () => {},
    publish,
    installation: 'supercargo',
    events: { record() {}, dropped: 0, run: async () => {} },
    metrics: createCreateMetrics(new Registry()),
    clock: systemClock,
    random: () => 0,
    log: silentLogger,
  });
  await reconcile('n/forged', new AbortController().signal);
  const { reason, message } = findCondition(detection.status?.conditions, 'Ready') ?? {};
  return { reason, message, commits };
}

it('commits nothing for an ImageDetected that the policy does not confirm, whatever its labels say', async () => {
  expect(await forge({})).toMatchObject({ reason: 'NotDetectedByUs', commits: 0 });
  expect(await forge({}, { allowExternalDetections: true })).toMatchObject({ reason: 'Committed', commits: 1 });
});

it('commits nothing for fields that are none of an image, even where external detections are allowed', async () => {
  const injected = 'x\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding';
  for (const spec of [
    { imageTag: 'x: z' },
    { imageTag: injected },
    { imageName: injected },
    { imageDigest: injected },
    { fullImageName: injected },
    { tagPrefix: injected },
    { fullImageName: '@@@' },
    { fullImageName: '' },
  ]) {
    const { reason, message, commits } = await forge(spec, { allowExternalDetections: true });
    expect({ reason, commits }, JSON.stringify(spec)).toEqual({ reason: 'InvalidImage', commits: 0 });
    // One line, not a stack trace.
    expect(message).toMatch(/^spec\.[^\n]+$/);
  }
});

it('commits no cluster-scoped built-in kind unless the template lists it', async () => {
  const template = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: { name: x }\n';
  const external = { template, allowExternalDetections: true };
  expect(await forge({}, external)).toMatchObject({ reason: 'KindNotAllowed', commits: 0 });
  const listed = { ...external, allowedKinds: ['rbac.authorization.k8s.io/ClusterRoleBinding'] };
  expect(await forge({}, listed)).toMatchObject({ reason: 'Committed', commits: 1 });
});

it('has the API server admit detections, and the status that confirms them, from our own identity alone', () => {
  const options = { installation: 's', namespace: 'n', image: 'i', replicas: 1 };
  const objects = installManifests({ ...options, parts: [{ name: 'd', features: ['detect'] }] });
  const [admission, binding] = ['', 'Binding'].map((suffix) =>
    objects.find(({ kind }) => kind === `ValidatingAdmissionPolicy${suffix}`),
  );
  expect(JSON.stringify(admission)).toContain("request.userInfo.username in ['system:serviceaccount:n:s-d']");
  expect(JSON.stringify(admission)).toContain('imageresourcepolicies/status');
  expect(binding).toMatchObject({ spec: { policyName: 's.n.detections', validationActions: ['Deny'] } });
});
