import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../src/app/config.ts';
import { type Connection, connect } from '../../../src/app/connect.ts';
import { runDashboard } from '../../../src/app/dashboard.ts';
import { silentLogger } from '../../../src/base/index.ts';
import type {
  ExplainAnswer,
  ImagesAnswer,
  Overview,
  Page as PageOf,
  Session,
  SystemAnswer,
} from '../../../src/dashboard/protocol.ts';
import type { ResourceType } from '../../../src/kube/index.ts';
import type { KubeObject } from '../../../src/object/index.ts';
import { policyTypes } from '../../../src/runtime/index.ts';
import { deployments, namespaces } from '../../integration/connection.ts';
import { readStream } from '../../integration/dashboard-stream.ts';
import { installKinds } from '../../integration/run-features.ts';
import { noBrowser, openTab, startBrowser } from '../../servers/page/browser.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { createShownObjects, namespacedKinds, policyReports } from './shown-objects.ts';

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

/** The text of a view when it no longer changes. */
const shownText = async (page: Page) => {
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

  /** The token of a ServiceAccount with these rights in its namespace. */
  const tenantWith = async (name: string, rules: readonly object[], namespace = 'mine'): Promise<string> => {
    await create(core('serviceaccounts', 'ServiceAccount'), name, namespace);
    await create(rbac('roles', 'Role'), name, namespace, { rules });
    await create(rbac('rolebindings', 'RoleBinding'), name, namespace, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
    const { value } = await connection.client.raw(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
      post: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    return (value as { status: { token: string } }).status.token;
  };

  beforeAll(async () => {
    cluster = await startRealCluster();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    await createShownObjects(connection).installScanner();
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
        texts.set(path, await shownText(page));
      }
      await page.goto(`${origin}/images?id=${encodeURIComponent('docker.io/library/nginx:1.25')}`);
      texts.set('image', await shownText(page));
      await page.goto(`${origin}/images?id=${encodeURIComponent('secret.example/plans:1')}`);
      texts.set('hidden', await shownText(page));
      expect(problems).toEqual([]);
      await context.close();
      return texts;
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
    // A busy machine is told as 503.
    const ask = (path: string, token: string) =>
      eventually(async () => {
        const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
        expect(response.status).not.toBe(503);
        return [response.status, await response.text()] as const;
      });
    const explained = async (path: string, token: string) => {
      const [status, text] = await ask(path, token);
      expect(status).toBe(200);
      return JSON.parse(text) as ExplainAnswer;
    };
    const own = await explained(pathOf('mine/no-nginx', 'mine'), reader);
    expect(own).toMatchObject({ result: 'fail', tree: { label: 'rule image: fail' } });
    expect(await ask(pathOf('theirs/no-nginx', 'theirs'), reader)).toEqual([404, expect.any(String)]);
    const [status, text] = await ask(pathOf('no-nginx', 'mine'), reader);
    expect([status, text]).toEqual([403, expect.stringContaining('you may not get clusterpolicies no-nginx')]);
    expect(text).not.toContain('nginx:1.25');
    expect(await ask(pathOf('mine/no-nginx', 'mine'), blind)).toEqual([
      403,
      expect.stringContaining('you may not get deployments mine/web'),
    ]);
    const theirs = await explained(pathOf('theirs/no-nginx', 'theirs'), cluster.token);
    expect(theirs.result).toBe('fail');
  });

  describe('where there is something of every kind', () => {
    const shown = 'docker.io/library/busybox:1';
    let tina = '';
    beforeAll(async () => {
      const objects = createShownObjects(connection);
      for (const name of ['own', 'foreign']) await create(namespaces, name, '');
      tina = await tenantWith('tina', namespacedKinds, 'own');
      // Both run the same image, the others more of it and another one.
      await objects.in('own', 'own', shown);
      await objects.in('foreign', 'foreign', shown);
      await objects.in('foreign', 'foreign-more', 'foreign.example/plans:1');
      await objects.copy('foreign-copy', shown);
      await eventually(async () => {
        expect(await get<object>('/api/image?id=docker.io/library/busybox:1', cluster.token)).toMatchObject({
          image: { workloads: 4, copy: 'pending' },
          ...parts((total) => ({ total }), 2),
        });
        // Their rights hold for a minute: they must not be asked for before everything is known.
        expect(await get<object>('/api/jobs?ns=foreign', cluster.token)).toMatchObject({ matched: 2 });
        expect(await get<object>('/api/results?ns=foreign', cluster.token)).toMatchObject({ matched: 2 });
        expect(await get<object>('/api/detections?ns=foreign', cluster.token)).toMatchObject({ matched: 2 });
      });
    });

    const parts = <T>(of: (total: number) => T, total: number) =>
      Object.fromEntries(
        ['jobs', 'results', 'detections', 'vulnerabilityReports', 'events'].map((part) => [part, of(total)]),
      );

    it('is every row and every count of their namespace, for a user who may list each kind there alone', async () => {
      const { access } = await get<Session>('/api/session', tina);
      const kinds = ['pods', 'jobs', 'policyreports', 'imagedetecteds', 'events', 'vulnerabilityreports'];
      expect(access).toEqual({ everywhere: [], namespaces: Object.fromEntries(kinds.map((kind) => [kind, ['own']])) });
      const overview = await get<Overview>('/api/overview', tina);
      expect(overview).toMatchObject({
        images: { total: 1, running: 1, registries: [{ name: 'docker.io', count: 1 }] },
        results: { fail: 1, pass: 0 },
        jobs: { pending: 1, running: 0, succeeded: 0, failed: 0 },
        detections: { pending: 1, processing: 0, completed: 0, failed: 0 },
        vulnerabilities: { critical: 1, high: 0 },
      });
      expect(overview).not.toHaveProperty('copies');
      expect(overview.activity.items.map(({ kind }) => kind).sort()).toEqual(['detected', 'event']);
      const image = await get<object>(`/api/image?id=${shown}`, tina);
      // The Job is a workload too.
      const own = { workloads: 2, namespaces: 1, copy: 'none', results: { fail: 1 }, jobs: { pending: 1 } };
      const one = parts((total) => ({ total, items: [expect.anything()] }), 1);
      expect(image).toMatchObject({ image: own, copies: { total: 0 }, ...one, hidden: ['mirroredimages'] });
      expect(image).not.toHaveProperty('image.seenAt');
      const counts = new Map<string, number>();
      for (const path of ['images', 'jobs', 'pipeline', 'detections', 'results', 'copies']) {
        const { total, matched, items } = await get<PageOf<object>>(`/api/${path}`, tina);
        expect([matched, items.length], path).toEqual([total, total]);
        counts.set(path, total);
      }
      expect(Object.fromEntries(counts)).toEqual({
        images: 1,
        jobs: 1,
        pipeline: 1,
        detections: 1,
        results: 1,
        copies: 0,
      });
      for (const by of ['namespace', 'policy', 'severity']) {
        const groups = await get<object>(`/api/results/groups?by=${by}`, tina);
        const name = { namespace: 'own', policy: 'own-policy', severity: '' }[by];
        const fails = { pass: 0, fail: 1, warn: 0, error: 0, skip: 0 };
        const exceptions = { total: 1, items: [{ object: { name: 'own-exception' } }] };
        expect(groups).toMatchObject({ total: fails, groups: [{ name, counts: fails }], policies: [], exceptions });
      }
    });

    it('is told on the stream when something of their namespace changes, and nothing else', async () => {
      const open = async (token: string) => {
        const stream = await readStream(`${origin}/api/events`, { authorization: `Bearer ${token}` });
        expect(await stream.next('hello')).toMatchObject({ isResumed: false });
        return stream;
      };
      const objects = createShownObjects(connection);
      const all = await open(cluster.token);
      // All changes of the tests before are told with this one at the latest: to streams that are open by then.
      await objects.copy('foreign-early', 'foreign.example/early:1');
      await all.until('change', ({ images }) => images?.includes('foreign.example/early:1') === true);
      const own = await open(tina);
      await objects.in('foreign', 'foreign-new', shown);
      await objects.copy('foreign-late', 'foreign.example/late:1');
      await all.until('change', ({ images }) => images?.includes('foreign.example/late:1') === true);
      await deployment('own-late', 'own', 'redis:7');
      // The first message is of the last change: of all the others there was none.
      const { views, images } = await own.next('change');
      expect([[...views].sort(), images]).toEqual([['images', 'overview'], ['docker.io/library/redis:7']]);
      for (const stream of [own, all]) stream.close();
      await connection.client.delete(deployments, { name: 'own-late', namespace: 'own' });
      await eventually(async () => expect(await get<object>('/api/images', tina)).toMatchObject({ total: 1 }));
    });

    it.skipIf(noBrowser)('is shown with the numbers of their namespace in every view', async () => {
      const browser = await startBrowser();
      try {
        const { page, context, problems } = await openTab(browser, { expectsFailures: true });
        await page.goto(origin);
        await page.getByLabel('Bearer token').fill(tina);
        await page.getByRole('button', { name: 'Sign in' }).click();
        const look = async (path: string) => {
          if (path !== '/') await page.goto(`${origin}${path}`);
          const text = await shownText(page);
          expect(text, path).not.toMatch(/foreign/);
          return text;
        };
        const overview = await look('/');
        expect(overview).toMatch(/Overview Images 1 Copies Pipeline Results 1 failed Jobs System/);
        const cards = { Images: 1, 'Policy results': 1, Detections: 1, Jobs: 1, Vulnerabilities: 1 };
        for (const [name, count] of Object.entries(cards))
          expect(await page.getByRole('region', { name, exact: true }).locator('.card-number a').innerText()).toBe(
            String(count),
          );
        expect(await page.getByRole('region', { name: 'Copies', exact: true }).count()).toBe(0);
        const rows = { '/images': 1, '/pipeline': 1, '/pipeline?tab=policies': 1, '/results?by=none': 1, '/jobs': 1 };
        for (const [path, count] of Object.entries(rows)) {
          await look(path);
          expect(await page.locator('tbody tr[data-row]').count(), path).toBe(count);
        }
        expect(await look('/copies')).not.toContain('busybox');
        expect(await look('/results')).toContain('own');
        expect(await look('/results?by=policy')).toContain('own-policy');
        expect(await look('/results?by=exceptions')).toContain('own-exception');
        await look('/system');
        const image = await look(`/images?id=${encodeURIComponent(shown)}`);
        for (const name of ['own-web', 'own-scan', 'own-policy', 'own happened']) expect(image).toContain(name);
        expect(problems).toEqual([]);
        await context.close();
      } finally {
        await browser.close();
      }
    });
  });

  it('is nothing for a token that the cluster does not know', async () => {
    const response = await fetch(`${origin}/api/images`, { headers: { authorization: `Bearer ${tenant}x` } });
    expect(response.status).toBe(401);
  });
});
