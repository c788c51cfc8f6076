import type { Cargo } from '../../src/dashboard/cargo.ts';
import type { JobFact, PodFact } from '../../src/dashboard/facts.ts';
import { createInterner } from '../../src/dashboard/fields.ts';
import { createReportProjection } from '../../src/dashboard/project-reports.ts';
import type { ShownKind } from '../../src/dashboard/protocol.ts';

/** Facts of every kind that the page shows. */

export const time = '2026-01-01T00:00:00Z';
export const image = 'docker.io/library/nginx:1.25';
const digest = `sha256:${'ab'.repeat(32)}`;
const images = [{ container: 'app', image, source: image }];

const job = (namespace: string): JobFact => ({
  namespace,
  name: 'scan',
  origin: 'generated',
  state: 'failed',
  image,
  madeBy: 'unique-job/make',
  trigger: undefined,
  type: '',
  requestId: '',
  reported: '',
  createdAt: time,
  startedAt: time,
  endedAt: time,
  reason: 'BackoffLimitExceeded',
  message: 'it fails',
  isGone: false,
});
export const pod = (namespace: string): PodFact => ({
  namespace,
  name: 'web-5d4-x',
  ownerKind: 'ReplicaSet',
  ownerName: 'web-5d4',
  deployment: 'web',
  node: 'node-1',
  isOver: false,
  images,
  containers: [{ imageId: '', state: 'waiting', reason: 'ImagePullBackOff', message: 'it cannot be pulled' }],
});
const projectReport = createReportProjection({ intern: createInterner(), key: (_, key) => key });
const report = (namespace: string) =>
  projectReport({
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    metadata: { name: 'r', namespace },
    results: ['Deployment/web', 'Pod/web-5d4-x'].map((text) => {
      const [kind = '', name = ''] = text.split('/');
      return { policy: 'p', rule: 'r', result: 'fail', message: 'm', resources: [{ apiVersion: 'v1', kind, name }] };
    }),
  });

/** Everything of a kind in a namespace; all of it is about one image. */
export const factMakers: Readonly<Record<ShownKind, (cargo: Cargo, namespace: string) => void>> = {
  pods(cargo, namespace) {
    cargo.putWorkload('Deployment', `${namespace}/web`, { kind: 'Deployment', namespace, name: 'web', images });
    cargo.putPod(`${namespace}/web-5d4-x`, pod(namespace));
  },
  jobs: (cargo, namespace) => cargo.putJob(`${namespace}/scan`, job(namespace)),
  policyreports(cargo, namespace) {
    cargo.putReport(`PolicyReport/${namespace}/r`, report(namespace));
    const of = { apiVersion: 'kyverno.io/v1', kind: 'Policy', namespace, name: 'p' };
    cargo.putPolicy(`Policy/${namespace}/p`, { ...of, problem: 'Invalid', message: 'it does not compile' });
    cargo.putException(`${namespace}/e`, { apiVersion: 'kyverno.io/v2', namespace, name: 'e', rules: ['p/r'] });
  },
  imagedetecteds(cargo, namespace) {
    cargo.putDetection(`${namespace}/d`, {
      namespace,
      name: 'd',
      image,
      digest,
      policyNamespace: 'theirs',
      policyName: 'p',
      phase: 'failed',
      detectedAt: time,
      pushedAt: time,
      processedAt: time,
      commit: namespace,
      files: ['a.yaml'],
      reason: 'Failed',
      message: 'no push',
      attempts: 1,
    });
    cargo.putScanPolicy(`${namespace}/p`, {
      namespace,
      name: 'p',
      ready: false,
      message: 'no registry',
      isSuspended: false,
      lastScanAt: time,
      repositories: 1,
      images: 1,
      detected: 1,
      templateNamespace: 'mine',
      templateName: 't',
    });
    cargo.putTemplate(`${namespace}/t`, { url: `https://git.example/${namespace}`, branch: 'main', path: '' });
  },
  mirroredimages(cargo) {
    cargo.putCopy(
      {
        name: 'c',
        source: image,
        copy: 'backup.example/nginx:1.25',
        state: 'failed',
        digest,
        sourceDigest: '',
        bytesTotal: 1,
        bytesCopied: 1,
        attempts: 1,
        message: 'it cannot be copied',
        createdAt: time,
        copiedAt: time,
        checkedAt: time,
        unusedSince: '',
      },
      undefined,
    );
  },
  events(cargo, namespace) {
    const about = { Deployment: 'web', Pod: 'web-5d4-x', Job: 'scan', ImageDetected: 'd' };
    for (const [kind, name] of Object.entries(about))
      cargo.putEvent(`${namespace}/${kind}`, {
        apiVersion: 'v1',
        kind,
        namespace,
        name,
        type: 'Warning',
        reason: 'Failed',
        message: 'it happened',
        count: 1,
        at: time,
      });
  },
  vulnerabilityreports: (cargo, namespace) =>
    cargo.putVulnerabilities(`${namespace}/v`, {
      namespace,
      name: 'v',
      image,
      digest,
      scanner: 'Trivy',
      at: namespace === 'mine' ? time : '2026-01-02T00:00:00Z',
      counts: { critical: namespace === 'mine' ? 1 : 2, high: 0, medium: 0, low: 0, unknown: 0 },
    }),
};
