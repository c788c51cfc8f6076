import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../src/app/config.ts';
import { type Connection, connect } from '../../../src/app/connect.ts';
import { runDashboard } from '../../../src/app/dashboard.ts';
import { silentLogger } from '../../../src/base/index.ts';
import type { ExplainAnswer, ImagesAnswer, Overview, Session, SystemAnswer } from '../../../src/dashboard/protocol.ts';
import type { ResourceType } from '../../../src/kube/index.ts';
import type { KubeObject } from '../../../src/object/index.ts';
import { policyTypes } from '../../../src/runtime/index.ts';
import { deployments, namespaces } from '../../integration/connection.ts';
import { installKinds } from '../../integration/run-features.ts';
import { noBrowser, openTab, startBrowser } from '../../servers/page/browser.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';

const missing = await whyNoCluster();

const rbac = (resource: string, kind: string): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  kind,
  namespaced: true,
});
const core = (resource: string, kind: string): ResourceType => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced: true,
});
const policyReports: ResourceType = {
  group: 'wgpolicyk8s.io',
  version: 'v1alpha2',
  resource: 'policyreports',
  kind: 'PolicyReport',
  namespaced: true,
};

describe.skipIf(missing !== undefined)('what a user sees of a real cluster', () => {
  let cluster: RealCluster;
  let connection: Connection;
  let running: Promise<void>;
  let origin = '';
  let tenant = '';
  const end = new AbortController();

  const create = (type: ResourceType, name: string, namespace: string, more: object = {}) =>
    connection.client.create(type, {
      apiVersion: type.group === '' ? 'v1' : `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { name, ...(namespace === '' ? {} : { namespace }) },
      ...more,
    } as KubeObject);
  const deployment = (name: string, namespace: string, image: string) => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } };
    return create(deployments, name, namespace, { spec: { selector: { matchLabels: labels }, template } });
  };
  const get = async <T>(path: string, token: string): Promise<T> => {
    const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };

  /** The token of a ServiceAccount with these rights in namespace `mine`. */
  const tenantWith = async (name: string, rules: readonly object[]): Promise<string> => {
    await create(core('serviceaccounts', 'ServiceAccount'), name, 'mine');
    await create(rbac('roles', 'Role'), name, 'mine', { rules });
    await create(rbac('rolebindings', 'RoleBinding'), name, 'mine', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'mine' }],
    });
    const { value } = await connection.client.raw(`/api/v1/namespaces/mine/serviceaccounts/${name}/token`, {
      post: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    return (value as { status: { token: string } }).status.token;
  };

  beforeAll(async () => {
    cluster = await startRealCluster();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    for (const name of ['mine', 'theirs']) await create(namespaces, name, '');
    tenant = await tenantWith('ann', [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]);
    await deployment('web', 'mine', 'nginx:1.25');
    await deployment('web', 'theirs', 'nginx:1.25');
    await deployment('secret', 'theirs', 'secret.example/plans:1');
    const port = await new Promise<number>((resolve, reject) => {
      running = runDashboard(
        {
          config: configOf({ features: ['dashboard'], dashboard: { port: 0 } }),
          namespace: 'supercargo',
          version: 'test',
          cluster: 'real',
          pageFolder: fileURLToPath(new URL('../../../dist/ui', import.meta.url)),
          connection,
          onListening: resolve,
          log: silentLogger,
        },
        end.signal,
      );
      running.catch(reject);
    });
    origin = `http://127.0.0.1:${port}`;
    await eventually(async () =>
      expect((await get<ImagesAnswer>('/api/images', cluster.token)).items.map(({ id }) => id)).toEqual([
        'docker.io/library/nginx:1.25',
        'secret.example/plans:1',
      ]),
    );
  });
  afterAll(async () => {
    end.abort();
    await running;
    await connection?.client.close();
    await cluster?.stop();
  });

  it('is everything for an administrator', async () => {
    const session = await get<Session>('/api/session', cluster.token);
    expect(session.access.everywhere).toContain('mirroredimages');
    const { items } = await get<ImagesAnswer>('/api/images?q=nginx', cluster.token);
    expect(items).toMatchObject([{ workloads: 2, namespaces: 2 }]);
  });

  it('is exactly one namespace for a user who may list pods there alone, counts and filters included', async () => {
    const session = await get<Session>('/api/session', tenant);
    expect(session).toMatchObject({ user: 'system:serviceaccount:mine:ann', method: 'token' });
    expect(session.access).toEqual({ everywhere: [], namespaces: { pods: ['mine'] } });
    const images = await get<ImagesAnswer>('/api/images', tenant);
    expect(images).toMatchObject({
      total: 1,
      matched: 1,
      items: [{ id: 'docker.io/library/nginx:1.25', workloads: 1, namespaces: 1 }],
      facets: { namespaces: [{ name: 'mine', count: 1 }], registries: [{ name: 'docker.io', count: 1 }] },
    });
    const overview = await get<Overview>('/api/overview', tenant);
    expect(overview.images).toMatchObject({ total: 1, running: 1 });
    for (const part of ['copies', 'results', 'jobs', 'detections']) expect(overview).not.toHaveProperty(part);
    const system = await get<SystemAnswer>('/api/system', tenant);
    expect(system).toMatchObject({ replicas: [], leases: [], syncRuns: [] });
    expect(system).not.toHaveProperty('configuration');
    const everything = await Promise.all(
      ['images', 'overview', 'copies', 'pipeline', 'detections', 'results', 'results/groups', 'jobs'].map((path) =>
        get<unknown>(`/api/${path}`, tenant),
      ),
    );
    expect(JSON.stringify(everything)).not.toMatch(/secret\.example|theirs/);
    const headers = { authorization: `Bearer ${tenant}` };
    const hidden = await fetch(`${origin}/api/image?id=${encodeURIComponent('secret.example/plans:1')}`, { headers });
    expect(hidden.status).toBe(404);
  });

  describe.skipIf(noBrowser)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser?.close());

    const paths = ['/', '/images', '/copies', '/pipeline', '/pipeline?tab=policies', '/results', '/results?by=none'];
    const more = ['/results?by=exceptions', '/jobs', '/system', '/images?q=secret', '/images?ns=theirs'];

    /** Signs in as people do, and reads every view. */
    const readAs = async (token: string) => {
      const { page, context, problems } = await openTab(browser, { expectsFailures: true });
      await page.goto(origin);
      await page.getByLabel('Bearer token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const texts = new Map<string, string>();
      for (const path of [...paths, ...more]) {
        if (path !== '/') await page.goto(`${origin}${path}`);
        texts.set(path, await shown(page));
      }
      await page.goto(`${origin}/images?id=${encodeURIComponent('docker.io/library/nginx:1.25')}`);
      texts.set('image', await shown(page));
      await page.goto(`${origin}/images?id=${encodeURIComponent('secret.example/plans:1')}`);
      texts.set('hidden', await shown(page));
      expect(problems).toEqual([]);
      await context.close();
      return texts;
    };
    const shown = async (page: Page) => {
      await page.waitForSelector('.live.open');
      let before = '';
      await expect
        .poll(
          async () => {
            const text = (await page.locator('#app').innerText()).replaceAll(/\s+/g, ' ');
            const isSame = text === before && (await page.locator('.skeleton').count()) === 0;
            before = text;
            return isSame;
          },
          { interval: 500, timeout: 60_000 },
        )
        .toBe(true);
      return before;
    };

    it('a user who may list pods in one namespace sees exactly that namespace, in every view and every count', async () => {
      const texts = await readAs(tenant);
      for (const [path, text] of texts) {
        // A filter that they wrote themselves is shown as they wrote it.
        if (path !== '/images?ns=theirs' && path !== 'hidden')
          expect(text, path).not.toMatch(/secret\.example|\btheirs\b/);
        expect(text, path).toContain('Overview Images 1 Copies Pipeline Results Jobs System');
      }
      expect(texts.get('/')).toMatch(/IMAGES 1 /i);
      expect(texts.get('/images')).toMatch(/Only running 1 Export .*nginx 1\.25 1 in 1 ns/);
      expect(texts.get('/images?ns=theirs')).toContain('0 of 1');
      expect(texts.get('/images?q=secret')).toContain('0 of 1');
      expect(texts.get('image')).toContain('mine');
      expect(texts.get('hidden')).toContain('No such image');
      const all = await readAs(cluster.token);
      expect(all.get('/')).toContain('Overview Images 2 Copies');
      expect(all.get('/images?ns=theirs')).toContain('secret.example');
      expect(all.get('image')).toContain('theirs');
      expect(all.get('hidden')).not.toContain('No such image');
    });
  });

  it('is an explanation only of objects and policies that the user may get', async () => {
    const rule = {
      name: 'image',
      match: { any: [{ resources: { kinds: ['Deployment'] } }] },
      validate: {
        message: 'not nginx',
        pattern: { spec: { template: { spec: { containers: [{ image: '!nginx:*' }] } } } },
      },
    };
    for (const namespace of ['mine', 'theirs']) {
      await create(policyTypes.policy, 'no-nginx', namespace, { spec: { rules: [rule] } });
      const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' };
      await create(policyReports, 'r', namespace, {
        results: [{ policy: `${namespace}/no-nginx`, rule: 'image', result: 'fail', resources: [resource] }],
      });
    }
    await create(policyTypes.clusterPolicy, 'no-nginx', '', { spec: { rules: [rule] } });
    await eventually(async () =>
      expect(await get<object>('/api/results?policy=mine/no-nginx', cluster.token)).toMatchObject({ matched: 1 }),
    );
    const reader = await tenantWith('ben', [
      { apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports'], verbs: ['list'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
      { apiGroups: ['kyverno.io'], resources: ['policies'], verbs: ['get'] },
    ]);
    const blind = await tenantWith('eve', [
      { apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports'], verbs: ['list'] },
      { apiGroups: ['kyverno.io'], resources: ['policies'], verbs: ['get'] },
    ]);
    const pathOf = (policy: string, namespace: string) =>
      `/api/explain?policy=${policy}&rule=image&apiVersion=apps/v1&kind=Deployment&namespace=${namespace}&name=web`;
    const own = await get<ExplainAnswer>(pathOf('mine/no-nginx', 'mine'), reader);
    expect(own).toMatchObject({ result: 'fail', tree: { label: 'rule image: fail' } });
    const refused = async (path: string, token: string) => {
      const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return [response.status, await response.text()] as const;
    };
    expect(await refused(pathOf('theirs/no-nginx', 'theirs'), reader)).toEqual([404, expect.any(String)]);
    const [status, text] = await refused(pathOf('no-nginx', 'mine'), reader);
    expect([status, text]).toEqual([403, expect.stringContaining('you may not get clusterpolicies no-nginx')]);
    expect(text).not.toContain('nginx:1.25');
    expect(await refused(pathOf('mine/no-nginx', 'mine'), blind)).toEqual([
      403,
      expect.stringContaining('you may not get deployments mine/web'),
    ]);
    const theirs = await get<ExplainAnswer>(pathOf('theirs/no-nginx', 'theirs'), cluster.token);
    expect(theirs.result).toBe('fail');
  });

  it('is nothing for a token that the cluster does not know', async () => {
    const response = await fetch(`${origin}/api/images`, { headers: { authorization: `Bearer ${tenant}x` } });
    expect(response.status).toBe(401);
  });
});
