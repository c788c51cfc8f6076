import { mirroredImageName } from '../../src/api/index.ts';

export interface ShownObjects {
  readonly imageOf: (i: number) => string;
  readonly namespaceOf: (i: number) => string;
  /** By the name of the resource. */
  readonly kinds: Readonly<Record<string, readonly [count: number, make: (i: number) => object]>>;
}

/** What a page shows of so many images: each has a Deployment, a pod, a copy and a failing result; one in ten a Job. */
export function shownObjects({ images, namespaces }: { images: number; namespaces: number }): ShownObjects {
  const uid = (i: number) => `8c1f7c1e-4a68-4a0e-9d0a-${String(i).padStart(12, '0')}`;
  const imageOf = (i: number) => `registry-${i % 7}.example:5000/team-${i % 50}/service-${i}:v1.${i % 7}.${i % 3}`;
  const copyOf = (i: number) => `backup.example/copies/${imageOf(i).replace(':5000', '_5000')}`;
  const namespaceOf = (i: number) => `team-${i % namespaces}`;
  const digestOf = (i: number) => `sha256:${i.toString(16).padStart(64, '0')}`;
  /** No two objects have the same times. */
  const timeOf = (i: number, after = 0) =>
    `${new Date(1_767_225_600_000 + i * 61_000 + after).toISOString().slice(0, 19)}Z`;
  const metadataOf = (name: string, i: number, more: object = {}) => ({
    name,
    uid: uid(i),
    resourceVersion: String(1_000_000 + i),
    creationTimestamp: timeOf(i),
    ...more,
  });

  const kinds: ShownObjects['kinds'] = {
    deployments: [
      images,
      (i) => ({
        metadata: metadataOf(`service-${i}`, i, { namespace: namespaceOf(i) }),
        spec: { template: { spec: { containers: [{ name: 'app', image: imageOf(i) }] } } },
      }),
    ],
    pods: [
      images,
      (i) => ({
        metadata: metadataOf(`service-${i}-5d4f8c7b9-x2x4x`, i, {
          namespace: namespaceOf(i),
          labels: { 'pod-template-hash': '5d4f8c7b9' },
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'ReplicaSet',
              name: `service-${i}-5d4f8c7b9`,
              uid: uid(i),
              controller: true,
            },
          ],
        }),
        spec: { nodeName: `node-${i % 300}`, containers: [{ name: 'app', image: imageOf(i) }] },
        status: {
          phase: 'Running',
          containerStatuses: [
            {
              name: 'app',
              imageID: `${imageOf(i).slice(0, imageOf(i).lastIndexOf(':'))}@${digestOf(i)}`,
              state: { running: { startedAt: timeOf(i) } },
            },
          ],
        },
      }),
    ],
    mirroredimages: [
      images,
      (i) => ({
        metadata: metadataOf(mirroredImageName(imageOf(i), copyOf(i)), i),
        spec: { source: imageOf(i), copy: copyOf(i) },
        status: {
          phase: 'Copied',
          digest: digestOf(i),
          sourceDigest: digestOf(i),
          bytesTotal: 50_000_000 + i,
          bytesCopied: 50_000_000 + i,
          copiedAt: timeOf(i, 20_000),
          checkedAt: timeOf(i, 3_600_000),
        },
      }),
    ],
    policyreports: [
      namespaces,
      (n) => ({
        metadata: metadataOf(`report-${n}`, n, { namespace: namespaceOf(n) }),
        results: Array.from({ length: images / namespaces }, (_, k) => ({
          source: 'kyverno',
          policy: 'require-labels',
          rule: 'has-team',
          result: 'fail',
          severity: 'medium',
          message: 'validation error: the label team is required. rule has-team failed at path /metadata/labels/team/',
          timestamp: { seconds: 1_767_225_600, nanos: 0 },
          resources: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              namespace: namespaceOf(n),
              name: `service-${k * namespaces + n}`,
            },
          ],
        })),
      }),
    ],
    jobs: [
      images / 10,
      (i) => ({
        metadata: metadataOf(`img-${i}`, i, {
          namespace: namespaceOf(i),
          annotations: {
            'kyverno.io/source-image': imageOf(i),
            'supercargo.dev/origin': JSON.stringify({
              policy: 'unique-job',
              rule: 'make',
              trigger: { apiVersion: 'v1', kind: 'Pod', namespace: namespaceOf(i), name: `p-${i}`, uid: uid(i) },
            }),
          },
        }),
        status: {
          conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: timeOf(i) }],
          completionTime: timeOf(i),
        },
      }),
    ],
  };
  return { imageOf, namespaceOf, kinds };
}
