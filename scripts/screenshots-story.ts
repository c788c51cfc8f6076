// The cluster of the pictures: two teams whose images go from a push through Git to a copy and a scan, and workloads of
// strangers beside them. What Flux and trivy-operator would do is done here: manifests from Git are applied, and reports of
// vulnerabilities are written.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { digestOf, mediaTypes, parseReference, type Tag } from '../src/image/index.ts';
import { createRegistryClient, type RegistryClient } from '../src/registry/index.ts';
import { runProgram } from '../test/support/program.ts';

interface Service {
  readonly team: string;
  readonly name: string;
  readonly tag: string;
  readonly kilobytes: number;
  readonly replicas?: number;
  /** Critical, high, medium, low. */
  readonly found: readonly [number, number, number, number];
}

const services: readonly Service[] = [
  { team: 'shop', name: 'storefront', tag: 'v2.14.0', kilobytes: 4_310, replicas: 3, found: [0, 0, 2, 9] },
  { team: 'shop', name: 'cart', tag: 'v1.8.3', kilobytes: 2_770, replicas: 2, found: [0, 1, 4, 11] },
  { team: 'shop', name: 'search', tag: 'v0.31.1', kilobytes: 6_120, replicas: 2, found: [1, 4, 12, 30] },
  { team: 'shop', name: 'recommendations', tag: 'v4.0.2', kilobytes: 8_940, found: [0, 2, 7, 25] },
  { team: 'payments', name: 'checkout', tag: 'v3.2.0', kilobytes: 3_050, replicas: 3, found: [0, 0, 0, 0] },
  { team: 'payments', name: 'ledger', tag: 'v1.12.5', kilobytes: 1_480, found: [0, 0, 1, 3] },
  { team: 'payments', name: 'fraud', tag: 'v0.9.1', kilobytes: 5_660, replicas: 2, found: [0, 3, 5, 14] },
];

interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas?: number;
  readonly team?: string;
  readonly found: Service['found'];
}

const strangers: readonly Workload[] = [
  {
    namespace: 'platform',
    name: 'gateway',
    image: 'quay.io/example/gateway:1.31.0',
    replicas: 2,
    team: 'platform',
    found: [0, 1, 3, 8],
  },
  {
    namespace: 'platform',
    name: 'metrics',
    image: 'ghcr.io/example/metrics:v2.54.1',
    team: 'platform',
    found: [0, 0, 2, 6],
  },
  { namespace: 'platform', name: 'cache', image: 'redis:7.4-alpine', found: [0, 0, 1, 2] },
  {
    namespace: 'platform',
    name: 'queue',
    image: 'docker.io/library/rabbitmq:4.0',
    replicas: 3,
    team: 'platform',
    found: [0, 2, 9, 31],
  },
  { namespace: 'data', name: 'etl', image: 'ghcr.io/example/etl:2026.11.2', team: 'data', found: [2, 7, 18, 44] },
  {
    namespace: 'data',
    name: 'warehouse',
    image: 'docker.io/library/postgres:17.2',
    team: 'data',
    found: [0, 1, 6, 22],
  },
  { namespace: 'data', name: 'notebook', image: 'quay.io/example/notebook:latest', found: [3, 11, 40, 87] },
];
const teams = [...new Set(services.map(({ team }) => team))];

interface StoryOptions {
  readonly kubeconfig: string;
  readonly registry: string;
  /** For the Git repository. */
  readonly folder: string;
}

export async function tellStory({ kubeconfig, registry, folder }: StoryOptions): Promise<void> {
  const kubectl = async (args: readonly string[], input = '') => {
    const run = await runProgram(['kubectl', ...args], { env: { KUBECONFIG: kubeconfig } }, input);
    if (run.exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${run.stderr}`);
    return run.stdout;
  };
  const apply = (items: readonly object[]) =>
    kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });

  const scanner = `${registry}/platform/scanner:1.4.0`;
  await apply([vulnerabilityReports, ...[...teams, 'platform', 'data'].map(namespaceOf), scanImages(scanner)]);
  await apply(strangers.map(deploymentOf));
  const repository = join(folder, 'deployments.git');
  git('init', '--quiet', '--bare', '--initial-branch=main', repository);
  await apply(teams.flatMap((team) => pipelineOf(team, registry, repository)));

  const client = createRegistryClient();
  const digests = new Map<string, string>();
  try {
    await push(client, scanner, 2_200);
    for (const { team, name, tag, kilobytes } of services) {
      const image = `${registry}/${team}/${name}:${tag}`;
      digests.set(image, await push(client, image, kilobytes));
    }
  } finally {
    await client.close();
  }
  for (const team of teams)
    await kubectl(['annotate', 'imageresourcepolicies/releases', `--namespace=${team}`, 'story=pushed']);
  for (const { image, file } of await committed(kubectl, services.length)) {
    const manifest = git('-C', repository, 'show', `main:${file}`);
    const { replicas = 1 } = services.find(({ name }) => image.includes(`/${name}:`))!;
    await kubectl(['apply', '-f', '-'], manifest.replace(/replicas: \d+/, `replicas: ${replicas}`));
  }
  // An image that was never pushed needs attention.
  await apply([
    deploymentOf({
      namespace: 'payments',
      name: 'risk',
      image: `${registry}/payments/risk:v0.1.0`,
      found: [0, 0, 0, 0],
    }),
  ]);
  await apply([
    ...services.map(({ team, name, tag, found }) =>
      reportOf(
        team,
        name,
        {
          server: registry,
          repository: `${team}/${name}`,
          tag,
          digest: digests.get(`${registry}/${team}/${name}:${tag}`)!,
        },
        found,
      ),
    ),
    ...strangers.map(({ namespace, name, image, found }) => {
      const { registry: host, path, tag = '' } = parseReference(image);
      const server = host === 'docker.io' ? 'index.docker.io' : host;
      return reportOf(namespace, name, { server, repository: path, tag }, found);
    }),
  ]);
}

interface Committed {
  readonly image: string;
  readonly file: string;
}

/** The files of the detections of the teams, once there are so many. */
async function committed(kubectl: (args: readonly string[]) => Promise<string>, count: number): Promise<Committed[]> {
  for (;;) {
    const { items } = JSON.parse(await kubectl(['get', 'imagedetecteds', '-A', '-o', 'json'])) as {
      items: readonly {
        readonly metadata: { readonly namespace: string };
        readonly spec: { readonly fullImageName: string };
        readonly status?: { readonly phase?: string; readonly files?: readonly string[] };
      }[];
    };
    const own = items.filter(({ metadata, status }) => teams.includes(metadata.namespace) && status?.files?.[0]);
    if (own.length >= count)
      return own.map(({ spec, status }) => ({ image: spec.fullImageName, file: status!.files![0]! }));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

const namespaceOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...(teams.includes(name) ? { labels: { 'image-clone-controller': 'enabled' } } : {}) },
});

function deploymentOf({ namespace, name, image, replicas = 1, team }: Workload) {
  const labels = { app: name, ...(team === undefined ? {} : { team }) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } },
    },
  };
}

function pipelineOf(team: string, registry: string, url: string): object[] {
  const apiVersion = 'automation.gitops.io/v1beta1';
  const metadata = { name: 'releases', namespace: team };
  // One team names itself in the labels of its pods, the other does not: a policy asks for it.
  const labels = team === 'payments' ? `{ app: {{ .ServiceName }}, team: ${team} }` : '{ app: {{ .ServiceName }} }';
  const template = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .ServiceName }}
  namespace: ${team}
spec:
  replicas: 1
  selector: { matchLabels: { app: {{ .ServiceName }} } }
  template:
    metadata: { labels: ${labels} }
    spec:
      containers:
        - name: app
          image: {{ .FullImageName }}
`;
  return [
    {
      apiVersion,
      kind: 'ResourceTemplate',
      metadata,
      spec: { template, gitRepository: { url, path: team, branch: 'main' } },
    },
    {
      apiVersion,
      kind: 'ImageResourcePolicy',
      metadata,
      spec: {
        interval: '10s',
        ociRepository: { registry, repositoryPattern: `${team}/*` },
        policy: { pattern: { regex: '^v\\d+\\.\\d+\\.\\d+$' } },
        templateRef: { name: metadata.name },
      },
    },
  ];
}

const scanImages = (scanner: string) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'scan-images' },
  spec: {
    rules: [
      {
        name: 'job-per-image',
        match: { any: [{ resources: { kinds: ['Pod'], namespaces: teams } }] },
        exclude: { any: [{ resources: { kinds: ['Pod'], selector: { matchLabels: { scan: 'true' } } } }] },
        generate: {
          synchronize: false,
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: 'scan-{{ sha256(request.object.spec.containers[0].image) | truncate(@, `8`) }}',
          namespace: '{{ request.object.metadata.namespace }}',
          data: {
            metadata: { annotations: { 'kyverno.io/source-image': '{{ request.object.spec.containers[0].image }}' } },
            spec: {
              template: {
                metadata: { labels: { app: 'scan', scan: 'true', team: 'platform' } },
                spec: {
                  restartPolicy: 'Never',
                  containers: [{ name: 'scan', image: scanner }],
                },
              },
            },
          },
        },
      },
    ],
  },
});

const vulnerabilityReports = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'vulnerabilityreports.aquasecurity.github.io' },
  spec: {
    group: 'aquasecurity.github.io',
    scope: 'Namespaced',
    names: { kind: 'VulnerabilityReport', plural: 'vulnerabilityreports', singular: 'vulnerabilityreport' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

interface Artifact {
  readonly server: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest?: string;
}

function reportOf(namespace: string, name: string, { server, ...artifact }: Artifact, found: Service['found']) {
  const [criticalCount, highCount, mediumCount, lowCount] = found;
  return {
    apiVersion: 'aquasecurity.github.io/v1alpha1',
    kind: 'VulnerabilityReport',
    metadata: { name: `replicaset-${name}-app`, namespace },
    report: {
      updateTimestamp: new Date(Date.now() - 4 * 60_000).toISOString(),
      scanner: { name: 'Trivy', vendor: 'Aqua Security', version: '0.66.0' },
      registry: { server },
      artifact,
      summary: { criticalCount, highCount, mediumCount, lowCount, unknownCount: 0 },
    },
  };
}

async function push(client: RegistryClient, image: string, kilobytes: number): Promise<string> {
  const { tag, ...repository } = parseReference(image);
  const upload = async (mediaType: string, bytes: Buffer) => {
    const digest = digestOf(bytes);
    await client.uploadBlob({
      repository,
      digest,
      size: bytes.length,
      read: async function* (offset: number) {
        yield bytes.subarray(offset);
      },
    });
    return { mediaType, digest, size: bytes.length };
  };
  const created = new Date(Date.now() - 90 * 60_000).toISOString();
  const config = await upload(
    'application/vnd.oci.image.config.v1+json',
    Buffer.from(JSON.stringify({ created, architecture: 'amd64', os: 'linux', config: { Labels: { image } } })),
  );
  const layer = await upload('application/vnd.oci.image.layer.v1.tar', randomBytes(kilobytes * 1_000));
  const bytes = Buffer.from(
    JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [layer] }),
  );
  const digest = digestOf(bytes);
  await client.putManifest(repository, tag ?? ('latest' as Tag), { bytes, mediaType: mediaTypes.ociManifest, digest });
  return digest;
}
