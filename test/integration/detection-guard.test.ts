import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageResourcePolicies, imagesDetected } from '../../src/api/index.ts';
import { installManifests } from '../../src/app/install.ts';
import { parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

/** The policy that `supercargo install` brings for detections, in force in the embedded cluster. */
const installed = installManifests({
  installation: 's',
  namespace: 'default',
  image: 'i',
  replicas: 1,
  parts: [{ name: 'd', features: ['detect'] }],
});
const own = { 'impersonate-user': 'system:serviceaccount:default:s-d', 'impersonate-group': 'system:masters' };
const detections = `/apis/${imagesDetected.group}/${imagesDetected.version}/namespaces/default/${imagesDetected.resource}`;
const detection = (name: string) => ({
  apiVersion: `${imagesDetected.group}/${imagesDetected.version}`,
  kind: imagesDetected.kind,
  metadata: { name },
  spec: {
    imageName: 'web',
    imageTag: 'v1',
    imageDigest: `sha256:${'0'.repeat(64)}`,
    fullImageName: 'r.example/web:v1',
    sourcePolicy: { name: 'p' },
    detectedAt: '2026-01-01T00:00:00Z',
  },
});

let cluster: Cluster;
let api: HttpClient;

beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  api = createHttpClient(cluster);
  for (const { resource, group } of [imagesDetected, imageResourcePolicies]) {
    const definition = parseYaml(readFileSync(`manifests/crds/${resource}.${group}.yaml`, 'utf8'));
    expect((await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status).toBe(201);
  }
  const policies = installed.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
  expect(policies).toHaveLength(2);
  for (const object of policies) {
    const resource = object.kind.replace(/y$/, 'ie').toLowerCase();
    expect((await create(object, resource)).status).toBe(201);
  }
});

const create = (object: KubeObject, resource: string) =>
  api.post(`/apis/admissionregistration.k8s.io/v1/${resource}s`, object);

afterAll(async () => {
  await api?.close();
  await cluster?.stop();
});

it('admits detections from the detection part alone', async () => {
  const refused = await api.post(detections, detection('forged'));
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain('only the detection and creation parts of s in namespace default write this');
  await eventually(async () => expect((await api.post(detections, detection('a'), own)).status).toBe(201));
});

it('lets others change the metadata of a detection, but not what it says', async () => {
  expect((await api.post(detections, detection('b'), own)).status).toBe(201);
  const change = (body: object) => api.patch(`${detections}/b`, body, 'merge');
  expect((await change({ metadata: { finalizers: ['example.test/wait'] } })).status).toBe(200);
  expect((await change({ spec: { imageTag: 'v2' } })).status).toBe(403);
});
