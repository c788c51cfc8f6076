import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Condition, KubeObject } from '../../src/object/index.ts';
import { GenerateFixture } from '../integration/generate/fixture.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

const policies = (name: string, namespace: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${name} }
spec:
  background: false
  rules:
    - name: gone
      match: { any: [{ resources: { kinds: [Secret], namespaces: [${namespace}], operations: [DELETE] } }] }
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: "gone-{{ request.oldObject.metadata.name }}"
        namespace: ${namespace}
        data: { data: { note: "{{ request.oldObject.metadata.annotations.note || 'none' }}" } }
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${name}-owner }
spec:
  background: false
  rules:
    - name: owner
      match: { any: [{ resources: { kinds: [Secret], namespaces: [${namespace}], operations: [CREATE, DELETE] } }] }
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: "owner-{{ request.name }}"
        namespace: ${namespace}
        data: { data: { who: "{{ request.userInfo.username }}" } }
`;

describe('reviews that the API server did not send', () => {
  let cluster: Cluster;
  let fixture: GenerateFixture;
  let shop: string;
  let attacker: HttpClient;
  beforeAll(async () => {
    cluster = await startEmbedded();
  });
  afterAll(() => cluster.stop());
  beforeEach(async () => {
    fixture = await GenerateFixture.open(cluster);
    shop = await fixture.namespace('shop');
    await fixture.start(undefined, ['admission', 'generate'], { trustReviews: false });
    await fixture.yaml(policies(fixture.installation, shop));
    const { url, caBundle } = await eventually(async () => {
      const kind = 'ValidatingWebhookConfiguration';
      const found = await fixture.get(
        'admissionregistration.k8s.io/v1',
        kind,
        `${fixture.installation}-policies-generate`,
      );
      const [webhook] = (found?.['webhooks'] ?? []) as readonly {
        readonly clientConfig: { readonly url: string; readonly caBundle: string };
      }[];
      expect(webhook).toBeDefined();
      return webhook!.clientConfig;
    });
    attacker = createHttpClient({
      url: new URL(url).origin,
      caPem: Buffer.from(caBundle, 'base64').toString(),
      token: '',
    });
  });
  afterEach(async () => {
    await attacker.close();
    await fixture.close();
  });

  const secret = (name: string, note = 'true') =>
    fixture.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: shop, annotations: { note } } });
  const forge = async (operation: string, object: KubeObject) => {
    const request = {
      uid: `forged-${operation}-${object.metadata.name}`,
      kind: { group: '', version: 'v1', kind: 'Secret' },
      resource: { group: '', version: 'v1', resource: 'secrets' },
      name: object.metadata.name,
      namespace: shop,
      operation,
      userInfo: { username: 'system:admin', groups: ['system:masters'] },
      ...(operation === 'CREATE' ? {} : { oldObject: object }),
      ...(operation === 'DELETE' ? {} : { object }),
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    expect((await attacker.post('/generate', review)).status).toBe(200);
  };
  const made = async () => (await fixture.list('v1', 'ConfigMap', shop)).map(({ metadata }) => metadata.name).sort();
  /** A true deletion passes the same outbox: what was forged before it is worked off by then, or never is. */
  const deleteOne = async (name: string) => {
    let tries = 0;
    await eventually(async () => {
      const one = await secret(`${name}-${++tries}`);
      await fixture.remove(one);
      await eventually(async () => expect(await made()).toContain(`gone-${name}-${tries}`), { timeoutMs: 2_000 });
    });
  };

  it('run no rule for objects that never were, that are still there, or by users that are invented', async () => {
    await deleteOne('before');
    const kept = await secret('kept');
    await forge('DELETE', { ...kept, metadata: { ...kept.metadata, name: 'never', uid: 'never' } });
    await forge('DELETE', { ...kept, metadata: { ...kept.metadata, uid: 'another' } });
    await forge('DELETE', kept);
    await forge('CREATE', kept);
    await deleteOne('after');
    const names = await made();
    expect(names.filter((name) => /kept|never/.test(name ?? ''))).toEqual([]);
    expect(names.filter((name) => name?.startsWith('owner-'))).toEqual([]);
  }, 60_000);

  it('do not decide the content of an object: a deletion is processed with the object that the API server had', async () => {
    await deleteOne('before');
    const kept = await secret('kept');
    const annotations = { note: 'forged' };
    await forge('DELETE', { ...kept, metadata: { ...kept.metadata, annotations } });
    await fixture.remove(kept);
    await eventually(async () =>
      expect((await fixture.get('v1', 'ConfigMap', 'gone-kept', shop))?.['data']).toEqual({ note: 'true' }),
    );
  }, 60_000);

  it('do not run a rule that reads the user, and its policy says so', async () => {
    await eventually(async () => {
      const found = await fixture.get('kyverno.io/v1', 'ClusterPolicy', `${fixture.installation}-owner`);
      const { conditions = [] } = (found?.['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
      expect(conditions.find(({ type }) => type === 'Working')?.message).toContain('webhook.clientCA');
    });
  });
});
