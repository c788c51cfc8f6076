import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, isStackOverflow, parseJson, renderJson } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { oddNamespace, oddObjects, widgetDefinition, widgetGroup } from '../support/odd-objects.ts';
import { type Cluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

const missing = await whyNoCluster();

describe.skipIf(missing !== undefined)(`odd objects${missing === undefined ? '' : ` (${missing})`}`, () => {
  const clusters: Cluster[] = [];
  const servers: HttpClient[] = [];
  beforeAll(async () => {
    for (const start of [startRealCluster, () => startEmbedded({ simulation: false })]) {
      const cluster = await start();
      clusters.push(cluster);
      const server = createHttpClient(cluster);
      servers.push(server);
      await server.post('/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: oddNamespace },
      });
      await server.post(`/api/v1/namespaces/${oddNamespace}/serviceaccounts`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default' },
      });
      await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition);
      await eventually(async () =>
        expect((await server.get(`/apis/${widgetGroup}/v1/namespaces/${oddNamespace}/widgets`)).status).toBe(200),
      );
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    for (const cluster of clusters) await cluster.stop();
  });

  it('are accepted and refused by the embedded server as by the real one, and stored alike', async () => {
    const differences: string[] = [];
    const counts = { accepted: 0, refused: 0 };
    for (const { kind, name, path, text } of oddObjects()) {
      const [real, embedded] = await Promise.all(
        servers.map((server) => server.send('POST', path, { body: Buffer.from(text) })),
      );
      counts[real!.status === 201 ? 'accepted' : 'refused']++;
      const found =
        real!.status === 201 && embedded!.status === 201
          ? contentOf(real!.text) === contentOf(embedded!.text)
          : real!.status === embedded!.status;
      if (!found)
        differences.push(
          `${kind} ${name}: ${real!.status} ${real!.text.slice(0, 300)} / ${embedded!.status} ${embedded!.text.slice(0, 300)} for ${text.slice(0, 400)}`,
        );
    }
    console.info(`figure: odd objects: ${counts.accepted} accepted and ${counts.refused} refused by both`);
    expect(differences).toEqual([]);
    expect(counts.accepted).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(0);
  }, 600_000);
});

/** What was sent, as it was stored. Only what is deep is compared as text: it has one key a level, and no order. */
function contentOf(text: string): string {
  const value = parseJson(text) as never as KubeObject & Record<'data' | 'spec', Record<string, unknown>>;
  const { spec = {}, data } = value;
  const pod = (isJsonObject(spec['template']) ? spec['template']['spec'] : spec) as OddPodSpec;
  // Go leaves out what is empty, and admission plugins add volumes of their own.
  const options = pod.volumes?.find(({ name }) => name === 'v')?.flexVolume?.options ?? {};
  const chosen = [data ?? null, spec['value'] ?? null, options, pod.containers?.[0]?.env?.[0]?.value ?? ''];
  try {
    return renderJson(sorted(chosen));
  } catch (thrown) {
    if (!isStackOverflow(thrown)) throw thrown;
    return renderJson(chosen);
  }
}

interface OddPodSpec {
  readonly volumes?: readonly { readonly name: string; readonly flexVolume?: { readonly options?: object } }[];
  readonly containers?: readonly { readonly env?: readonly { readonly value?: string }[] }[];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}
