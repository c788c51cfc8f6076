import type {
  Activity,
  Attention,
  CopyRow,
  CopyState,
  DetectionRow,
  ExplainAnswer,
  ImageAnswer,
  ImageRow,
  JobRow,
  JobState,
  ObjectRef,
  Overview,
  PipelinePolicy,
  ResultGroups,
  ResultRow,
  Session,
  SystemAnswer,
} from '../../src/dashboard/protocol.ts';

/** What a fixture server of the page answers. */
export interface DashboardFixture {
  readonly session: Session;
  readonly overview: Overview;
  readonly images: readonly ImageRow[];
  readonly copies: readonly CopyRow[];
  readonly policies: readonly PipelinePolicy[];
  readonly detections: readonly DetectionRow[];
  readonly groups: ResultGroups;
  readonly results: readonly ResultRow[];
  readonly jobs: readonly JobRow[];
  readonly system: SystemAnswer;
  readonly explanation: ExplainAnswer;
  readonly imageAnswer: (row: ImageRow) => ImageAnswer;
}

export interface FixtureOptions {
  readonly images: number;
  /** How many copies, results, detections and jobs there are; otherwise some of each. */
  readonly rows?: number;
  /** Put wherever a stranger chooses a text: names, tags, messages, reasons. */
  readonly text?: string;
}

const registries = [
  'docker.io',
  'ghcr.io',
  'quay.io',
  'registry.k8s.io',
  '123456789012.dkr.ecr.eu-west-1.amazonaws.com',
];
const names = [
  'web',
  'api',
  'worker',
  'billing',
  'search',
  'gateway',
  'auth',
  'mailer',
  'reports',
  'cron',
  'proxy',
  'db',
];
const teams = ['shop', 'pay', 'ops', 'data', 'platform'];
const copyStates: readonly CopyState[] = ['copied', 'copied', 'copied', 'copying', 'failed', 'pending', 'none'];
const jobStates: readonly JobState[] = ['succeeded', 'succeeded', 'running', 'failed', 'pending'];
const start = Date.now();
const before = (minutes: number) => new Date(start - minutes * 60_000).toISOString();
const hex = (seed: number, length: number) =>
  Array.from({ length }, (_, i) =>
    (((seed * 2654435761 + i * 40503 * (seed + 7)) >>> (i % 24)) & 15).toString(16),
  ).join('');
const pick = <T>(list: readonly T[], i: number): T => list[i % list.length]!;

/** A cluster as the API tells of it: the same for the same options. */
export function dashboardFixture({ images: count, rows, text = '' }: FixtureOptions): DashboardFixture {
  const images = Array.from({ length: count }, (_, i) => imageRow(i, text));
  const some = rows ?? Math.min(count, 400);
  const workload = (i: number): ObjectRef => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: pick(teams, i),
    name: `${pick(names, i)}${text}`,
  });
  const copies = images.slice(0, some).map((image, i): CopyRow => copyRow(image, i, text));
  const jobs = images
    .slice(0, rows ?? Math.ceil(some / 3))
    .map((image, i): JobRow => jobRow(image, i, workload(i), text));
  const results = Array.from({ length: some }, (_, i) => resultRow(i, workload(i), pick(images, i).id, text));
  const detections = images.slice(0, rows ?? Math.ceil(some / 4)).map((image, i) => detectionRow(image, i, text));
  const tally = <T>(list: readonly T[], is: (one: T) => boolean) => list.filter(is).length;
  const state = (of: CopyState) => tally(copies, (copy) => copy.state === of);
  const job = (of: JobState) => tally(jobs, (row) => row.state === of);
  const phase = (of: DetectionRow['phase']) => tally(detections, (row) => row.phase === of);
  const total = {
    pass: count * 22,
    fail: tally(results, (row) => row.result === 'fail'),
    warn: tally(results, (row) => row.result === 'warn'),
    error: tally(results, (row) => row.result === 'error'),
    skip: count,
  };
  const attention = count === 0 ? [] : attentions(images, text);
  const activity = count === 0 ? [] : activities(images, text);
  return {
    session: {
      user: `dev@example.com${text}`,
      method: 'link',
      version: '0.1.0',
      cluster: `staging${text}`,
      features: ['admission', 'mirror', 'report', 'dashboard'],
      access: {
        everywhere: ['pods', 'jobs', 'policyreports', 'imagedetecteds', 'mirroredimages', 'events'],
        namespaces: {},
      },
      isComplete: true,
      lastEventId: '0',
    },
    overview: {
      images: {
        total: count,
        running: tally(images, (image) => image.workloads > 0),
        registries:
          count === 0
            ? []
            : registries.map((name) => ({ name, count: tally(images, (image) => image.registry === name) })),
      },
      copies: {
        pending: state('pending'),
        copying: state('copying'),
        copied: state('copied'),
        failed: state('failed'),
        unused: count === 0 ? 0 : 4,
      },
      results: count === 0 ? { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 } : total,
      jobs: { pending: job('pending'), running: job('running'), succeeded: job('succeeded'), failed: job('failed') },
      detections: {
        pending: phase('pending'),
        processing: phase('processing'),
        completed: phase('completed'),
        failed: phase('failed'),
      },
      attention: { items: attention, total: attention.length },
      activity: { items: activity, total: activity.length },
    },
    images,
    copies,
    policies: count === 0 ? [] : teams.map((team, i) => pipelinePolicy(team, i, text)),
    detections,
    groups: {
      by: 'namespace',
      total,
      groups:
        count === 0
          ? []
          : teams.map((name, i) => ({
              name: name + text,
              counts: { pass: 200 + i * 31, fail: i * 3, warn: i, error: i % 2, skip: 4 },
            })),
      policies:
        count === 0
          ? []
          : [
              {
                policy: { apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', name: `verify${text}` },
                reason: `NotReady${text}`,
                message: `verifyImages is not supported ${text}`,
              },
            ],
      exceptions:
        count === 0
          ? { items: [], total: 0 }
          : {
              items: [
                {
                  object: {
                    apiVersion: 'kyverno.io/v2',
                    kind: 'PolicyException',
                    namespace: 'ops',
                    name: `legacy${text}`,
                  },
                  rules: ['disallow-latest/require-tag', `pod-security/*${text}`],
                },
              ],
              total: 1,
            },
    },
    results,
    jobs,
    system: systemAnswer(count, text),
    explanation: explanation(text),
    imageAnswer: (row) => imageAnswer(row, { images, copies, jobs, results, detections, workload, text }),
  };
}

function imageRow(i: number, text: string): ImageRow {
  const registry = pick(registries, i);
  const repository = `${registry}/${pick(teams, i >> 2)}/${pick(names, i >> 1)}${i > 60 ? `-${i}` : ''}${text}`;
  const tag = i % 9 === 8 ? undefined : `1.${i % 14}.${i % 5}${text}`;
  const digest = `sha256:${hex(i, 64)}`;
  const copy = pick(copyStates, i);
  const running = i % 6 !== 5;
  return {
    id: tag === undefined ? `${repository}@${digest}` : `${repository}:${tag}`,
    repository,
    registry,
    ...(tag === undefined ? {} : { tag }),
    digest,
    namespaces: running ? 1 + (i % 3) : 0,
    workloads: running ? 1 + (i % 7) : 0,
    pods: running ? 2 + (i % 11) : 0,
    copy,
    ...(copy === 'failed' ? { copyMessage: `401 Unauthorized${text}` } : {}),
    ...(i % 4 === 0
      ? { jobs: { pending: 0, running: i % 8 === 0 ? 1 : 0, succeeded: 1, failed: i % 12 === 0 ? 1 : 0 } }
      : {}),
    ...(running ? { results: { fail: i % 5 === 1 ? 2 : 0, warn: i % 7 === 1 ? 1 : 0, error: 0 } } : {}),
    ...(i % 3 === 0
      ? { vulnerabilities: { critical: i % 6 === 0 ? 1 : 0, high: i % 9, medium: 12, low: 30, unknown: 0 } }
      : {}),
    ...(i % 5 === 0 ? { commit: { sha: `${hex(i + 3, 40)}${text}`, at: before(i % 900) } } : {}),
    ...(i % 23 === 3 && running ? { pullProblem: `ImagePullBackOff${text}` } : {}),
    ...(i % 17 === 2 ? { movedTo: `sha256:${hex(i + 1, 64)}${text}` } : {}),
    seenAt: before(1 + ((i * 7) % 4000)),
  };
}

function copyRow(image: ImageRow, i: number, text: string): CopyRow {
  const state = image.copy === 'none' ? 'pending' : image.copy;
  const bytesTotal = 40_000_000 + ((i * 7_919_333) % 400_000_000);
  return {
    name: `img-${hex(i, 10)}`,
    image: image.id,
    source: image.id,
    copy: `backup.example.com/mirror/${image.id}`,
    state,
    ...(image.digest === undefined ? {} : { digest: image.digest }),
    bytesTotal,
    bytesCopied: state === 'copying' ? Math.floor(bytesTotal * 0.62) : bytesTotal,
    attempts: state === 'failed' ? 4 : 1,
    ...(state === 'failed' ? { message: `GET https://${image.registry}/v2/: 401 Unauthorized${text}` } : {}),
    createdAt: before(600 + i),
    ...(state === 'copied' ? { copiedAt: before(400 + i), checkedAt: before(5 + (i % 50)) } : {}),
    ...(i % 90 === 89 ? { unusedSince: before(43_200) } : {}),
  };
}

function jobRow(image: ImageRow, i: number, trigger: ObjectRef, text: string): JobRow {
  const state = pick(jobStates, i);
  const onDemand = i % 6 === 5;
  return {
    namespace: pick(teams, i),
    name: `img-${hex(i + 11, 10)}${text}`,
    origin: onDemand ? 'on-demand' : 'generated',
    state,
    image: image.id,
    ...(onDemand
      ? { type: `trivy${text}`, requestId: `812${text}`, reported: `completed${text}` }
      : { madeBy: `scan-images/job-per-image${text}`, trigger }),
    createdAt: before(20 + i),
    ...(state === 'pending' ? {} : { startedAt: before(19 + i) }),
    ...(state === 'succeeded' || state === 'failed' ? { endedAt: before(18.7 + i) } : {}),
    ...(state === 'failed'
      ? { reason: `BackoffLimitExceeded${text}`, message: `Job has reached the specified backoff limit${text}` }
      : {}),
    isGone: i % 4 === 0,
  };
}

function resultRow(i: number, resource: ObjectRef, image: string, text: string): ResultRow {
  const [policy, rule, message] = pick(
    [
      [
        'disallow-latest-tag',
        'require-image-tag',
        'Use a tag other than latest: spec.template.spec.containers[0].image',
      ],
      [
        'require-requests-limits',
        'validate-resources',
        'CPU and memory requests are required: spec.template.spec.containers[0].resources',
      ],
      ['pod-security-restricted', 'run-as-non-root', 'Running as root is not allowed: runAsNonRoot must be true'],
    ] as const,
    i,
  );
  return {
    policy: policy + text,
    rule: rule + text,
    source: `kyverno${text}`,
    result: pick(['fail', 'fail', 'warn', 'error'] as const, i),
    ...(i % 5 === 4 ? {} : { severity: pick(['high', 'medium', 'low', 'critical'] as const, i) }),
    resource: { ...resource, name: `${resource.name}-${i}` },
    message: message + text,
    at: before(3 + i),
    images: [image],
  };
}

function detectionRow(image: ImageRow, i: number, text: string): DetectionRow {
  const phase = pick(['completed', 'completed', 'completed', 'processing', 'failed', 'pending'] as const, i);
  const isSkipped = phase === 'completed' && i % 5 === 2;
  return {
    namespace: pick(teams, i),
    name: `${pick(names, i)}-${hex(i, 8)}`,
    image: image.id,
    digest: image.digest!,
    policy: { namespace: pick(teams, i), name: `releases${text}` },
    phase,
    detectedAt: before(10 + i * 3),
    pushedAt: before(11 + i * 3),
    ...(phase === 'completed' ? { processedAt: before(9 + i * 3) } : {}),
    ...(phase === 'completed' && !isSkipped
      ? { commit: `${hex(i + 5, 40)}${text}`, files: [`apps/${pick(names, i)}/deployment.yaml${text}`] }
      : { files: [] }),
    ...(isSkipped ? { reason: `AlreadyDeployed${text}`, message: `Deployment/web runs it${text}` } : {}),
    ...(phase === 'failed' ? { message: `git push: protected branch${text}`, attempts: 3 } : {}),
    git: { url: `https://github.com/example/manifests${text}`, branch: `main${text}`, path: `clusters/staging${text}` },
  };
}

function pipelinePolicy(team: string, i: number, text: string): PipelinePolicy {
  return {
    namespace: team,
    name: `releases${text}`,
    ready: i !== 3,
    ...(i === 3 ? { message: `ECR: AccessDeniedException${text}` } : {}),
    isSuspended: i === 4,
    lastScanAt: before(2 + i),
    repositories: 41 - i,
    images: 380 - i * 30,
    detected: 6 + i,
    template: { namespace: team, name: 'deployment' },
    git: {
      url: `https://github.com/example/manifests${text}`,
      branch: `main${text}`,
      path: `clusters/staging/${team}${text}`,
    },
  };
}

function attentions(images: readonly ImageRow[], text: string): Attention[] {
  const image = (i: number) => pick(images, i).id;
  return [
    {
      kind: 'pull-failed',
      level: 'error',
      subject: image(3),
      message: `ImagePullBackOff in pay/gateway: manifest unknown${text}`,
      at: before(4),
      image: image(3),
      count: 3,
    },
    {
      kind: 'copy-failed',
      level: 'error',
      subject: image(4),
      message: `GET https://ghcr.io/v2/: 401 Unauthorized${text}`,
      at: before(12),
      image: image(4),
      count: 1,
    },
    {
      kind: 'detection-failed',
      level: 'error',
      subject: image(16),
      message: `git push: protected branch${text}`,
      at: before(31),
      image: image(16),
      count: 1,
    },
    {
      kind: 'policy-not-ready',
      level: 'error',
      subject: `ClusterPolicy/verify${text}`,
      message: `verifyImages is not supported${text}`,
      count: 1,
    },
    {
      kind: 'tag-moved',
      level: 'warning',
      subject: image(2),
      message: `The tag now names sha256:cd34…, the copy has sha256:ab12…${text}`,
      at: before(55),
      image: image(2),
      count: 1,
    },
  ];
}

function activities(images: readonly ImageRow[], text: string): Activity[] {
  const kinds = [
    'detected',
    'committed',
    'copied',
    'job-started',
    'job-succeeded',
    'started',
    'event',
    'copy-failed',
    'job-failed',
  ] as const;
  return Array.from({ length: 24 }, (_, i): Activity => {
    const kind = pick(kinds, i);
    return {
      kind,
      at: before(((i * i) % 37) + i),
      message: `${{ detected: 'Tag 1.4.2 was pushed', committed: 'Commit 3f2a9c1 in example/manifests', copied: '210 MB in 12 s', event: 'Refused by disallow-latest-tag/require-image-tag' }[kind as string] ?? `pay/img-${hex(i, 6)}`}${text}`,
      ...(kind === 'event' ? { reason: `PolicyViolation${text}` } : {}),
      image: pick(images, i * 5).id,
    };
  }).sort((a, b) => (a.at < b.at ? 1 : -1));
}

function systemAnswer(images: number, text: string): SystemAnswer {
  return {
    version: '0.1.0',
    kubernetes: 'v1.36.0',
    installation: 'supercargo',
    namespace: `supercargo-system${text}`,
    features: ['admission', 'generate', 'mirror', 'detect', 'create', 'report', 'sync', 'dashboard'],
    replicas: ['7c9d8', 'x2k4q'].map((suffix, i) => ({
      name: `supercargo-6f5b7-${suffix}${text}`,
      node: `node-${i + 1}`,
      ready: true,
      startedAt: before(3000 + i),
    })),
    leases: ['mirror', 'report', 'create'].map((group) => ({
      name: `supercargo-${group}`,
      group,
      holder: `supercargo-6f5b7-7c9d8${text}`,
      renewedAt: before(0.1),
    })),
    watches: [
      ...['Pod', 'Deployment', 'MirroredImage', 'PolicyReport', 'ImageDetected'].map((kind, i) => ({
        kind,
        objects: images * (i + 1),
        isSynced: true,
      })),
      { kind: 'Event', objects: 0, isSynced: false, problem: `forbidden: cannot list${text}` },
      { kind: 'VulnerabilityReport', objects: 0, isSynced: false, isAbsent: true },
    ],
    authority: { expiresAt: before(-60 * 24 * 200) },
    syncRuns:
      images === 0
        ? []
        : (['succeeded', 'failed', 'succeeded'] as const).map((outcome, i) => ({
            at: before(10 + i * 60),
            outcome,
            isDryRun: i === 2,
            durationMs: 2140 + i,
            applied: 2,
            updated: 1,
            removed: 0,
            failed: outcome === 'failed' ? 1 : 0,
            rolledBack: 0,
            unchanged: 38,
            failures: outcome === 'failed' ? [`ClusterPolicy/x: spec.rules: Required value${text}`] : [],
          })),
    configuration: `features: [admission, mirror, report]\nmirror:\n  registry: backup.example.com/mirror\n  concurrency: 4\nreport:\n  interval: 1h # ${text}\n`,
    memory: { images, heapBytes: 48_000_000, streams: 2 },
  };
}

function explanation(text: string): ExplainAnswer {
  return {
    policy: `disallow-latest-tag${text}`,
    rule: 'require-image-tag',
    result: 'fail',
    message: `Use a tag other than latest${text}`,
    tree: {
      label: `Deployment shop/web${text}`,
      status: 'fail',
      children: [
        {
          label: 'match: any of 1',
          status: 'pass',
          children: [{ label: 'kinds: Deployment', status: 'pass', children: [] }],
        },
        {
          label: 'precondition request.operation NotEquals DELETE',
          status: 'pass',
          detail: 'key: CREATE',
          children: [],
        },
        {
          label: 'foreach spec.template.spec.containers',
          status: 'fail',
          children: [
            {
              label: 'containers[0]',
              status: 'pass',
              children: [
                { label: 'image: "!*:latest"', status: 'pass', detail: 'found: ghcr.io/shop/web:1.4.2', children: [] },
              ],
            },
            {
              label: 'containers[1]',
              status: 'fail',
              children: [
                {
                  label: 'image: "!*:latest"',
                  status: 'fail',
                  detail: `found: docker.io/library/redis:latest${text}`,
                  children: [],
                },
              ],
            },
          ],
        },
      ],
    },
  };
}

interface Parts {
  readonly images: readonly ImageRow[];
  readonly copies: readonly CopyRow[];
  readonly jobs: readonly JobRow[];
  readonly results: readonly ResultRow[];
  readonly detections: readonly DetectionRow[];
  readonly workload: (i: number) => ObjectRef;
  readonly text: string;
}

function imageAnswer(row: ImageRow, { images, copies, jobs, results, detections, workload, text }: Parts): ImageAnswer {
  const i = images.indexOf(row);
  const some = <T>(items: readonly T[]) => ({ items, total: items.length });
  const copy = copies.filter((one) => one.image === row.id);
  const detected = detections.filter((one) => one.image === row.id);
  const failed = row.copy === 'failed';
  return {
    image: row,
    life: [
      { stage: 'pushed', state: 'done', at: before(300), detail: `Tag ${row.tag ?? ''} of ${row.registry}` },
      {
        stage: 'detected',
        state: detected.length > 0 ? 'done' : 'none',
        ...(detected.length > 0 ? { at: before(290) } : {}),
        detail: detected.length > 0 ? `by ops/releases${text}` : 'No policy selects it',
      },
      {
        stage: 'committed',
        state: row.commit ? 'done' : 'none',
        ...(row.commit ? { at: before(280) } : {}),
        detail: row.commit ? `3f2a9c1 in manifests${text}` : 'Nothing to commit',
      },
      { stage: 'admitted', state: 'done', at: before(270), detail: 'rewritten to its copy' },
      {
        stage: 'copied',
        state: failed ? 'failed' : row.copy === 'copying' ? 'active' : 'done',
        at: before(260),
        detail: failed ? '401 Unauthorized' : '210 MB',
      },
      {
        stage: 'running',
        state: row.workloads > 0 ? 'done' : 'none',
        at: before(250),
        detail: `${row.pods} pods in ${row.namespaces} namespaces`,
      },
      {
        stage: 'job',
        state: row.jobs ? 'done' : 'none',
        detail: row.jobs ? '1 job succeeded' : 'No rule makes jobs for it',
      },
      { stage: 'reported', state: 'done', at: before(30), detail: `${row.results?.fail ?? 0} findings` },
    ],
    runs: some(
      Array.from({ length: Math.min(3, row.workloads) }, (_, k) => ({
        workload: workload(i + k),
        container: `app${text}`,
        writtenAs: row.id.replace(/^docker\.io\//, ''),
        image: `backup.example.com/mirror/${row.id}`,
        pods: some([
          {
            name: `${pick(names, i)}-6f5b7-${hex(i + k, 5)}${text}`,
            node: 'node-1',
            imageId: `${row.repository}@${row.digest}${text}`,
            state: 'running' as const,
          },
          ...(row.pullProblem
            ? [
                {
                  name: `${pick(names, i)}-6f5b7-${hex(k, 5)}`,
                  node: 'node-2',
                  state: 'waiting' as const,
                  reason: row.pullProblem,
                  message: `Back-off pulling image: manifest unknown${text}`,
                },
              ]
            : []),
        ]),
      })),
    ),
    copies: some(copy),
    jobs: some(jobs.filter((one) => one.image === row.id)),
    results: some(results.filter((one) => one.images.includes(row.id)).slice(0, 5)),
    detections: some(detected),
    vulnerabilityReports: some(
      row.vulnerabilities
        ? [
            {
              object: {
                apiVersion: 'aquasecurity.github.io/v1alpha1',
                kind: 'VulnerabilityReport',
                namespace: 'shop',
                name: `replicaset-web-6f5b7${text}`,
              },
              scanner: `Trivy${text}`,
              at: before(40),
              counts: row.vulnerabilities,
            },
          ]
        : [],
    ),
    events: some(
      row.pullProblem
        ? [
            {
              object: { apiVersion: 'v1', kind: 'Pod', namespace: 'pay', name: `gateway-6f5b7${text}` },
              type: 'Warning',
              reason: `Failed${text}`,
              message: `Failed to pull image: manifest unknown${text}`,
              count: 14,
              at: before(2),
            },
          ]
        : [],
    ),
    tags: some(images.filter((one) => one.repository === row.repository && one !== row).slice(0, 5)),
    hidden: [],
  };
}
