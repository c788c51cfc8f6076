import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { installManifests } from '../../src/app/install.ts';
import { silentLogger } from '../../src/base/index.ts';
import { createRegistryClient } from '../../src/registry/index.ts';
import { startRegistryServer } from '../../src/registryserver/index.ts';
import { enabled } from '../integration/mirror-fixture.ts';
import { installKinds, type RunningFeatures, runFeatures } from '../integration/run-features.ts';
import { createCertificate } from '../support/certificate.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient } from '../support/http-client.ts';
import { startInsightsServer } from '../support/insights-server.ts';
import { eventually } from '../support/wait.ts';
import { type RecordedRequest, type Right, rightsOf, unneeded, widest } from './access.ts';
import { type Exercise, home, type Place, type Session } from './exercise.ts';
import { type Exercised, exercises } from './exercises/index.ts';
import { isRefused } from './exercises/insights.ts';
import { mirroredNamespace } from './exercises/mirror.ts';
import { createRecorder } from './recorder.ts';

const account = `${home}-all`;
/** Only the time of a failure: all requests come earlier. */
const settleMs = 120_000;
/** Used when a session ends. */
const isForTheEnd = ({ verb, group }: Right) => verb === 'delete' && group === 'admissionregistration.k8s.io';

export interface Recording {
  /** Those of the installation's account. */
  readonly rights: readonly Right[];
  /** Those that an administrator gives in addition. */
  readonly grants: readonly Right[];
  readonly requests: readonly RecordedRequest[];
  readonly paths: readonly string[];
}

/** Runs features with the account of an installation, exercises each, and says what they asked the API server for. */
export async function record(
  features: readonly Exercised[],
  /** A Secret that a user gives for the webhooks' certificate. */
  givenSecret?: string,
): Promise<Recording> {
  const chosen = features.map((name): Exercise => exercises[name]());
  const refused = chosen.flatMap((exercise) => exercise.refused ?? []);
  const recorder = createRecorder(`system:serviceaccount:${home}:${account}`, refused);
  const [cluster, registry, insights] = await Promise.all([
    startEmbedded({ authorize: recorder.authorize, simulation: { jobDurationMs: 50, podStartMs: 10, podStopMs: 10 } }),
    startRegistryServer(),
    startInsightsServer(),
  ]);
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-rights-'));
  const http = createHttpClient(cluster);
  const administrator = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  const images = createRegistryClient();
  let running: RunningFeatures | undefined;
  const create: Place['create'] = async (at, object) => {
    const { status, text } = await http.post(at, object);
    expect(status, `${at}: ${text}`).toBe(201);
  };
  const pagePort = await freePort();
  const start = async (session: Session) => {
    running = await runFeatures({ kubeconfigPath: path.join(folder, 'account.kubeconfig') }, features, {
      clock: session === 'last' && chosen.length === 1 ? chosen[0]!.clock : undefined,
      env: Object.assign({}, insights.env, ...chosen.map(({ env = {} }) => env)),
      config: {
        namespace: home,
        // On a busy machine, no lease is lost.
        leaderElection: { enabled: true, leaseDuration: '60s', renewDeadline: '40s' },
        webhook: {
          port: 0,
          exposure: 'loopback',
          removeOnStop: session === 'last',
          service: { name: `${account}-webhook` },
          tls: { secretName: givenSecret },
        },
        dashboard: { host: '127.0.0.1', port: pagePort },
        ...Object.assign({}, ...chosen.map(({ config }) => config?.(place, session) ?? {})),
      },
    });
  };
  const stop = async () => {
    const before = running;
    running = undefined;
    await before?.stop();
  };
  const place: Place = {
    features,
    http,
    administrator,
    registry: registry.host,
    images,
    insights,
    folder,
    page: () => `http://127.0.0.1:${pagePort}`,
    create,
    before: recorder.before,
  };
  try {
    await installKinds(administrator);
    if (givenSecret !== undefined) {
      const { cert, key, caPem } = createCertificate();
      await create('/api/v1/namespaces', { metadata: { name: home } });
      await create(`/api/v1/namespaces/${home}/secrets`, {
        metadata: { name: givenSecret },
        type: 'kubernetes.io/tls',
        stringData: { 'tls.crt': cert, 'tls.key': key, 'ca.crt': caPem },
      });
    }
    // Its pull secrets may be read: a binding of the installation is in it.
    const namespaces = features.includes('mirror') ? [mirroredNamespace] : [];
    for (const name of namespaces) await create('/api/v1/namespaces', { metadata: { name, labels: enabled } });
    const manifests = installManifests({
      namespace: home,
      installation: home,
      image: 'i',
      replicas: 1,
      parts: [{ name: 'all', features }],
      detectionUsers: ['admin'],
      mirrorNamespaces: namespaces,
      backupRegistry: features.includes('mirror') ? `${registry.host}/copies` : undefined,
      config: givenSecret === undefined ? {} : { webhook: { tls: { secretName: givenSecret } } },
    });
    for (const object of manifests.filter(({ kind }) => !left.has(kind))) {
      const type = await administrator.discovery.byKind(`${object.apiVersion}/${object.kind}`);
      await administrator.client.apply(type!, object, { fieldManager: 'test' });
    }
    const { body } = await http.post(`/api/v1/namespaces/${home}/serviceaccounts/${account}/token`, { spec: {} });
    const { token } = body['status'] as { readonly token: string };
    writeFileSync(path.join(folder, 'account.kubeconfig'), kubeconfig(cluster, token));
    for (const { prepare } of chosen) await prepare?.(place);
    const session = async (name: Session, run: (exercise: Exercise) => Promise<void> | undefined) => {
      await start(name);
      await Promise.all(chosen.map(run));
    };
    await session('first', ({ run }) => run(place));
    await stop();
    await session('last', ({ again }) => again?.(place));
    const rights = rightsOf(manifests, account);
    // Watches follow lists, and events what they tell of.
    const isDue = (right: Right) => !isForTheEnd(right) && !isRefused({ features }, right.resource);
    await eventually(() => expect(unneeded(widest(rights), recorder.requests()).filter(isDue)).toEqual([]), {
      timeoutMs: settleMs,
    }).catch(() => {});
    await stop();
    return {
      rights,
      grants: chosen.flatMap(({ grants = [] }) => grants),
      requests: recorder.requests(),
      paths: recorder.paths(),
    };
  } finally {
    await stop();
    await Promise.all(chosen.map(({ end }) => end?.()));
    await administrator.client.close();
    await http.close();
    await images.close();
    await insights.stop();
    await registry.stop();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The definitions are there before; the program itself runs here. */
const left = new Set(['CustomResourceDefinition', 'Deployment', 'PodDisruptionBudget', 'NetworkPolicy']);

function kubeconfig({ url, caPem }: { readonly url: string; readonly caPem: string }, token: string): string {
  const ca = Buffer.from(caPem).toString('base64');
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: home } }],
    'current-context': 'x',
  });
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
