import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../../src/base/index.ts';
import type { KubeConnection } from '../../src/kube/index.ts';
import type { Reviewer } from '../../src/webhook/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { connectTo } from './connection.ts';
import { type RunningWebhooks, runWebhooks } from './webhooks.ts';

let cluster: Cluster;
let client: KubeConnection;
let api: HttpClient;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  client = await connectTo(cluster);
  api = createHttpClient(cluster);
  await api.post('/api/v1/namespaces', { metadata: { name: 'hooks' } });
});
afterAll(async () => {
  await client.close();
  await api.close();
  await cluster.stop();
});
const running: RunningWebhooks[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await api.delete('/api/v1/namespaces/hooks/secrets/hooks-webhook');
});

const configuration = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks-test';
const secret = '/api/v1/namespaces/hooks/secrets/hooks-webhook';
const configMaps = '/api/v1/namespaces/default/configmaps';
const reviewer = (seen: string[] = []): Reviewer => ({
  path: 'test',
  review: ({ name }) => {
    seen.push(name);
    return {};
  },
});
const start = async (...given: Parameters<typeof runWebhooks>) => {
  const one = runWebhooks(...given);
  running.push(one);
  await eventually(() => expect(one.isSettled()).toBe(true));
  return one;
};
let counter = 0;
const createOne = async () => (await api.post(configMaps, { metadata: { name: `cm-${++counter}` } })).status;

describe('webhooks in a cluster', () => {
  it('are asked, survive a meddler, and are gone after an orderly end', async () => {
    const seen: string[] = [];
    const one = await start(client, reviewer(seen));
    expect(await createOne()).toBe(201);
    expect(seen).toEqual([`cm-${counter}`]);
    await api.patch(configuration, { webhooks: [] }, 'application/merge-patch+json');
    await eventually(async () => expect((await api.get(configuration)).body['webhooks']).toHaveLength(1));
    await api.delete(configuration);
    await eventually(async () => expect((await api.get(configuration)).status).toBe(200));
    running.length = 0;
    await one.stop();
    expect((await api.get(configuration)).status).toBe(404);
    expect(await createOne()).toBe(201);
  });

  it('share one certificate among replicas that start together', async () => {
    await Promise.all([
      start(client, reviewer()),
      start(client, reviewer(), { leads: false }),
      start(client, reviewer(), { leads: false }),
    ]);
    const { body } = await api.get(secret);
    expect(body.metadata.labels).toMatchObject({ 'supercargo.dev/owner': 'hooks' });
    expect(await createOne()).toBe(201);
  });

  it('rotate authority and certificate under load without a refused request', { timeout: 60_000 }, async () => {
    // Days as short as these make an authority last some seconds.
    const certificate = { hosts: ['127.0.0.1'], authorityDays: 6 / 86_400, servingDays: 2 / 86_400, overlapMs: 1_000 };
    const one = await start(client, reviewer(), { certificate });
    const bundles = new Set<string>();
    const statuses = new Map<number, number>();
    await eventually(
      async () => {
        const status = await createOne();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const [hook] = (await api.get(configuration)).body['webhooks'] as readonly {
          clientConfig: { caBundle: string };
        }[];
        bundles.add(hook!.clientConfig.caBundle);
        expect(bundles.size).toBeGreaterThanOrEqual(5);
      },
      { timeoutMs: 50_000, intervalMs: 5 },
    );
    expect([...statuses.keys()]).toEqual([201]);
    const swaps = /certificate_changes_total (\d+)/.exec(await one.metrics.metrics())?.[1];
    expect(Number(swaps)).toBeGreaterThanOrEqual(3);
  });

  it('serve the certificate that cert-manager keeps, and leave its Secret alone', async () => {
    const now = Date.now();
    const authority = createAuthority({ commonName: 'issuer', now, validDays: 1 });
    const issued = () =>
      issueCertificate(authority, { commonName: 'x', hosts: ['127.0.0.1'], usage: 'server', now, validDays: 1 });
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const data = (pair = issued()) => ({
      'tls.crt': encode(pair.certPem),
      'tls.key': encode(pair.keyPem),
      'ca.crt': encode(authority.certPem),
    });
    const path = '/api/v1/namespaces/hooks/secrets';
    await api.post(path, { metadata: { name: 'issued' }, type: 'kubernetes.io/tls', data: data() });
    const one = await start(client, reviewer(), { certificate: { secretName: 'issued' } });
    expect(await createOne()).toBe(201);
    await api.patch(`${path}/issued`, { data: data() }, 'application/merge-patch+json');
    await eventually(async () => expect(await one.metrics.metrics()).toContain('certificate_changes_total 1'));
    expect(await createOne()).toBe(201);
    const { body } = await api.get(`${path}/issued`);
    expect(body.metadata.labels).toBeUndefined();
  });

  it('never touch a Secret or a configuration that is not ours', async () => {
    const foreign = { metadata: { name: 'hooks-test', labels: { team: 'other' } }, webhooks: [] };
    await api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', foreign);
    const before = (await api.get(configuration)).body;
    const one = runWebhooks(client, reviewer());
    running.push(one);
    await eventually(async () => expect((await api.get(secret)).status).toBe(200));
    // The server is up, and still nothing is registered: the name is taken.
    expect(one.isSettled()).toBe(false);
    await one.stop();
    running.length = 0;
    expect((await api.get(configuration)).body).toEqual(before);
    await api.delete(configuration);
  });
});
