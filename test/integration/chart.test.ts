/** The Helm chart: generated, strict, and the same as `supercargo install`. Rendered and installed by the real helm. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { chartFiles } from '../../scripts/chart/files.ts';
import { type InstallOptions, installManifests } from '../../src/app/install.ts';
import { parseYamlDocuments } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { helmPath, runTool } from '../support/kubectl.ts';

const folder = fileURLToPath(new URL('../../charts/supercargo', import.meta.url));
const helm = await helmPath();

it.each(chartFiles().map(({ file, text }) => [file, text] as const))(
  'charts/supercargo/%s is up to date (npm run generate:manifests)',
  (file, text) => {
    expect(readFileSync(path.join(folder, file), 'utf8')).toBe(text);
  },
);

it('holds no file that is not generated', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  expect(names.sort()).toEqual(
    chartFiles()
      .map(({ file }) => file)
      .sort(),
  );
});

type Values = Readonly<Record<string, unknown>>;

/** JSON is YAML: the values go through standard input. */
const runHelm = (args: readonly string[], values: Values = {}) =>
  runTool(helm ?? 'helm', [...args, '--values', '-'], JSON.stringify(values));
const template = (values: Values, ...args: readonly string[]) =>
  runHelm(['template', 'x', folder, '--namespace', 'ns', ...args], values);

async function render(values: Values): Promise<readonly KubeObject[]> {
  const { stdout, stderr, exitCode } = await template(values, '--no-hooks');
  expect(exitCode, stderr).toBe(0);
  return parseYamlDocuments(stdout).map(({ value }) => value as unknown as KubeObject);
}

/** Without what only Helm writes, by kind and name. */
function comparable(objects: readonly KubeObject[]): Readonly<Record<string, unknown>> {
  const ofHelm = new Set(['helm.sh/chart', 'app.kubernetes.io/managed-by', 'helm.sh/resource-policy']);
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.trimEnd() : value;
    const kept = Object.entries(value).filter(([key]) => !ofHelm.has(key));
    const entries = kept.map(([key, child]) => [key, strip(child)] as const);
    return Object.fromEntries(entries.filter(([key, child]) => key !== 'annotations' || !isEmpty(child)));
  };
  return Object.fromEntries(
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .map((object) => [`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, strip(object)]),
  );
}
const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const allFeatures = [
  'admission',
  'generate',
  'report',
  'cleanup',
  'mirror',
  'detect',
  'create',
  'sync',
  'jobs',
  'dashboard',
] as const;
const registry = 'registry.example:5000/copies';
const cases: readonly (readonly [string, Partial<InstallOptions>, Values])[] = [
  ['defaults', {}, {}],
  [
    'a registry for copies',
    { backupRegistry: registry, mirrorNamespaces: ['shop', 'office'] },
    { mirror: { registry, namespaces: ['shop', 'office'] } },
  ],
  [
    'everything',
    {
      backupRegistry: registry,
      features: allFeatures,
      apiServerCidrs: ['10.0.0.0/8'],
      detectionUsers: ["o'brien\\x"],
      pullSecrets: ['pull'],
      replicas: 3,
      config: { logLevel: 'debug', mirror: { pin: 'digest' }, policies: { exceptionNamespaces: ['a'] } },
    },
    {
      replicas: 3,
      features: allFeatures,
      mirror: { registry },
      webhook: { apiServerCidrs: ['10.0.0.0/8'] },
      detection: { users: ["o'brien\\x"] },
      imagePullSecrets: [{ name: 'pull' }],
      config: { logLevel: 'debug', mirror: { pin: 'digest' }, policies: { exceptionNamespaces: ['a'] } },
    },
  ],
  [
    'a certificate of the user',
    { config: { webhook: { tls: { secretName: 'given' } } } },
    { config: { webhook: { tls: { secretName: 'given' } } } },
  ],
  [
    'parts of their own',
    {
      parts: [
        { name: 'detect', features: ['detect'], controlPlane: 'image-detection-controller', replicas: 1 },
        { name: 'create', features: ['create'], controlPlane: 'resource-creation-controller' },
      ],
    },
    {
      parts: [
        { name: 'detect', features: ['detect'], controlPlane: 'image-detection-controller', replicas: 1 },
        { name: 'create', features: ['create'], controlPlane: 'resource-creation-controller' },
      ],
    },
  ],
  ...allFeatures.map(
    (feature) =>
      [
        `the feature ${feature} alone`,
        { features: [feature], backupRegistry: registry },
        { features: [feature], mirror: { registry } },
      ] as const,
  ),
];

describe.skipIf(helm === undefined)('the chart', () => {
  it.concurrent.each(cases)('renders what install applies: %s', async (_, options, values) => {
    const image = { registry: 'r.example', repository: 'a/b', tag: '1' };
    const installed = installManifests({
      namespace: 'ns',
      installation: 'x',
      image: 'r.example/a/b:1',
      replicas: 2,
      ...options,
    });
    expect(comparable(await render({ image, ...values }))).toEqual(comparable(installed));
  });

  it('renders everything that can be switched on', async () => {
    const rendered = await template({
      ...everything,
      crds: { install: false },
    });
    expect(rendered.stderr).toBe('');
    await expect(rendered.stdout).toMatchFileSnapshot('chart/everything.yaml');
  });

  it.concurrent.each([
    [{ replica: 3 }, /additional properties 'replica' not allowed/],
    [{ image: { tagg: 'x' } }, /additional properties 'tagg' not allowed/],
    [{ config: { mirror: { modus: 'sync' } } }, /additional properties 'modus' not allowed/],
    [{ config: { installation: 'y' } }, /additional properties 'installation' not allowed/],
    [{ features: ['admision'] }, /at '\/features\/0'/],
    [{ replicas: 'two' }, /got string, want integer/],
    [
      {
        parts: [
          { name: 'a', features: ['detect'] },
          { name: 'b', features: ['detect'] },
        ],
      },
      /detect is in two parts/,
    ],
    [
      {
        parts: [
          { name: 'a', features: ['detect'] },
          { name: 'a', features: ['create'] },
        ],
      },
      /a is named twice/,
    ],
    [{ parts: [{ name: 'uninstall', features: ['detect'] }] }, /parts: uninstall is in the names of other objects/],
    [{ extraLabels: { 'supercargo.dev/owner': 'x' } }, /extraLabels: supercargo.dev\/owner is set by the chart/],
    [{ extraLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }, /is set by the chart/],
    [{ podLabels: { 'app.kubernetes.io/name': 'x' } }, /podLabels: app.kubernetes.io\/name is set by the chart/],
    [{ podAnnotations: { 'supercargo.dev/config-checksum': 'x' } }, /podAnnotations: supercargo.dev\/config-checksum/],
    [{ metrics: { serviceMonitor: { labels: { 'control-plane': 'x' } } } }, /metrics.serviceMonitor.labels: control-/],
    [{ features: ['mirror'] }, /needs a registry to copy to: set mirror.registry/],
    [{ mirror: { namespaces: ['shop'] } }, /mirror.namespaces needs the feature mirror/],
    [
      { podDisruptionBudget: { minAvailable: 2 } },
      /minAvailable 2 with 2 replicas of policies lets no node be drained/,
    ],
    [{ config: { leaderElection: { enabled: false } } }, /each would lead/],
    [{ config: { webhook: { port: 1 } } }, /config.webhook.port follows from the chart's Service/],
    [{ config: { dashboard: { port: 1 } } }, /config.dashboard.port follows from the chart's Service/],
    [{ nameOverride: 'a b' }, /at '\/nameOverride'/],
    [{ fullnameOverride: 'a/b' }, /at '\/fullnameOverride'/],
    [{ dashboard: { service: { type: 'ExternalName' } } }, /at '\/dashboard\/service\/type'/],
    [{ dashboard: { service: { port: 65536 } } }, /at '\/dashboard\/service\/port'/],
    [{ dashboard: { ingress: { host: 'a.example' } } }, /additional properties 'host' not allowed/],
    [{ features: ['dashboard'], dashboard: { ingress: { enabled: true } } }, /set dashboard.ingress.hosts/],
    [{ dashboard: { ingress: { enabled: true, hosts: ['a.example'] } } }, /needs the feature dashboard/],
    [{ dashboard: { service: { type: 'NodePort' } } }, /the tokens of users in plain text/],
  ])('refuses %j', async (values, message) => {
    const { exitCode, stderr } = await template(values);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) });
  });

  it('names the installation as charts do', async () => {
    const nameOf = async (values: Values) =>
      (await render(values)).find(({ kind }) => kind === 'Deployment')?.metadata.name;
    expect(await nameOf({ nameOverride: 'images' })).toBe('x-images-policies');
    expect(await nameOf({ nameOverride: 'x' })).toBe('x-policies');
    expect(await nameOf({ nameOverride: 'images', fullnameOverride: 'cargo' })).toBe('cargo-policies');
  });

  it('puts the page behind a Service and, if asked, an Ingress for TLS', async () => {
    const features = ['dashboard'];
    const pageOf = async (dashboard: object) => {
      const objects = await render({ features, dashboard });
      return objects.filter(({ kind }) => kind === 'Service' || kind === 'Ingress');
    };
    expect(await pageOf({})).toMatchObject([
      { kind: 'Service', spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, targetPort: 'dashboard' }] } },
    ]);
    const outside = { service: { type: 'LoadBalancer', port: 8443 }, tls: { existingSecret: 'page-tls' } };
    expect(await pageOf(outside)).toMatchObject([
      { kind: 'Service', spec: { type: 'LoadBalancer', ports: [{ name: 'https', port: 8443 }] } },
    ]);
    const ingress = { enabled: true, hosts: ['a.example', '*.b.example'] };
    const [, plain] = await pageOf({ ingress });
    expect(plain).toMatchObject({
      metadata: { name: 'x-dashboard' },
      spec: { tls: [{ hosts: ingress.hosts }], rules: ingress.hosts.map((host) => ({ host })) },
    });
    expect(JSON.stringify(plain)).not.toMatch(/secretName|ingressClassName|annotations/);
  });

  it('gives no two objects one name', async () => {
    const names = (await render(everything)).map(
      ({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('refuses kube-system and old clusters', async () => {
    const args = ['template', 'x', folder, '--namespace'];
    expect((await runHelm([...args, 'kube-system'])).stderr).toContain('into a namespace of its own');
    expect((await runHelm([...args, 'ns', '--kube-version', '1.27.3'])).stderr).toContain('kubeVersion: >=1.28.0-0');
  });
});

const everything: Values = {
  fullnameOverride: 'cargo',
  extraLabels: { team: 'blue', 'app.kubernetes.io/part-of': 'images' },
  image: { registry: 'r.example', digest: `sha256:${'0'.repeat(64)}`, pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'pull' }],
  features: allFeatures,
  replicas: 3,
  config: { logLevel: 'debug' },
  rbac: { extraRules: [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }] },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/x' } },
  webhook: { failurePolicy: 'Fail', certManager: { enabled: true } },
  mirror: { registry, existingSecret: 'login', namespaces: ['shop'] },
  dashboard: {
    tls: { existingSecret: 'page-tls' },
    service: { port: 8443, annotations: { 'example.com/scheme': 'internal' } },
    ingress: {
      enabled: true,
      className: 'public',
      hosts: ['images.example.com'],
      annotations: { 'example.com/backend-protocol': 'HTTPS' },
      tls: { existingSecret: 'images-tls' },
    },
  },
  metrics: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true }, grafana: { enabled: true } },
  podDisruptionBudget: { minAvailable: 2 },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'system-cluster-critical',
  podLabels: { mesh: 'off' },
  podAnnotations: { 'example.com/a': 'b' },
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  extraObjects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' } }],
};
