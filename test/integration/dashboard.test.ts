import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configOf } from '../../src/app/config.ts';
import { runDashboard } from '../../src/app/dashboard.ts';
import { silentLogger } from '../../src/base/index.ts';
import type {
  ExplainAnswer,
  ImageAnswer,
  ImagesAnswer,
  Overview,
  ResultGroups,
  Session,
  SystemAnswer,
} from '../../src/dashboard/protocol.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { celExceptionType, celPolicyTypes, policyTypes } from '../../src/runtime/index.ts';
import { kubectlKind, rowCommands } from '../../ui/src/model/kubectl.ts';
import { eventually } from '../support/wait.ts';
import { deployments, namespaces } from './connection.ts';
import { readStream } from './dashboard-stream.ts';
import { useInstalledCluster } from './installed-cluster.ts';

const linkToken = 'a-link-token-of-this-test';
const copies = {
  group: 'supercargo.dev',
  version: 'v1alpha1',
  resource: 'mirroredimages',
  kind: 'MirroredImage',
  namespaced: false,
};

const deployment = (name: string, image: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image }] } },
  },
});

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
};
/** The least that each kind of policy of expressions says. */
const specs: Readonly<Record<string, object>> = {
  ValidatingPolicy: { matchConstraints, validations: [{ expression: 'true' }] },
  MutatingPolicy: {
    matchConstraints,
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
  },
  GeneratingPolicy: { matchConstraints, generate: [{ expression: 'true' }] },
  DeletingPolicy: { matchConstraints, schedule: '0 0 1 1 *' },
};

describe('the dashboard of an embedded cluster', () => {
  const installed = useInstalledCluster();
  const end = new AbortController();
  let running: Promise<void>;
  let origin = '';
  const headers = { authorization: `Bearer ${linkToken}` };
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${origin}${path}`, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };

  beforeAll(async () => {
    const { client } = installed.connection;
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await client.create(deployments, deployment('web', 'nginx:1.25'));
    const port = await new Promise<number>((resolve, reject) => {
      running = runDashboard(
        {
          config: configOf({ features: ['dashboard'], dashboard: { port: 0 } }),
          namespace: 'supercargo',
          linkToken,
          version: '1.2.3',
          cluster: 'embedded',
          connection: installed.connection,
          onListening: resolve,
          log: silentLogger,
        },
        end.signal,
      );
      running.catch(reject);
    });
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    end.abort();
    await running;
  });

  it('shows an image with its workload and its pod', async () => {
    const answer = await eventually(async () => {
      const images = await get<ImagesAnswer>('/api/images?q=nginx');
      expect(images).toMatchObject({ matched: 1, items: [{ workloads: 1, pods: 1 }] });
      const { id } = images.items[0]!;
      const found = await get<ImageAnswer>(`/api/image?id=${encodeURIComponent(id)}`);
      expect(found.runs.items[0]).toMatchObject({ pods: { items: [{ state: 'running' }] } });
      return found;
    });
    expect(answer.image.id).toBe('docker.io/library/nginx:1.25');
    expect(answer.runs.items).toMatchObject([
      { workload: { kind: 'Deployment', namespace: 'shop', name: 'web' }, container: 'app', writtenAs: 'nginx:1.25' },
    ]);
    expect(answer.life.map(({ stage, state }) => `${stage} ${state}`)).toContain('running done');
  });

  it('answers no one without the token, and says so as JSON', async () => {
    for (const given of [{}, { authorization: 'Bearer wrong' }, { cookie: 'supercargo-1=x' }]) {
      const response = await fetch(`${origin}/api/images`, { headers: given });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'unauthenticated' } });
    }
  });

  it('gives a session for the token, in a cookie that no script can read', async () => {
    const post = (more: Record<string, string>) =>
      fetch(`${origin}/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body: JSON.stringify({ token: linkToken }),
      });
    expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
    const opened = await post({ origin });
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^supercargo-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(cookie).not.toContain(linkToken);
    const own = { cookie: cookie.split(';')[0]! };
    const session = (await (await fetch(`${origin}/api/session`, { headers: own })).json()) as Session;
    expect(session).toMatchObject({ method: 'link', version: '1.2.3', cluster: 'embedded' });
    expect(session.access.everywhere).toContain('pods');
    await fetch(`${origin}/api/session`, { method: 'DELETE', headers: own });
    expect((await fetch(`${origin}/api/session`, { headers: own })).status).toBe(401);
  });

  it('answers for its own address alone, changes nothing and bounds what it reads', async () => {
    const statusOf = (options: { readonly host?: string; readonly method?: string; readonly path?: string }) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { host = new URL(origin).host, method = 'GET', path = '/api/images' } = options;
        const sent = request(`${origin}${path}`, { method, headers: { ...headers, host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject).end();
      });
    expect(await statusOf({ host: 'rebound.example' })).toBe(403);
    expect(await statusOf({ host: 'localhost:1' })).toBe(200);
    expect(await statusOf({ method: 'PUT' })).toBe(405);
    expect(await statusOf({ path: '/api/nothing' })).toBe(404);
    expect(await statusOf({ path: '/api/images?limit=100000' })).toBe(400);
    expect(await statusOf({ path: '/api/images?cursor=bm9uZQ' })).toBe(400);
    expect(await statusOf({ path: `/api/images?q=${'x'.repeat(5_000)}` })).toBe(400);
    expect(await statusOf({ path: `/api/images?q=${'x'.repeat(50_000)}` })).toBe(431);
    const tooLong = await fetch(`${origin}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 'x'.repeat(100_000) }),
    });
    expect(tooLong.status).toBe(413);
  });

  it('forbids scripts and frames of others in each answer', async () => {
    const response = await fetch(`${origin}/api/overview`, { headers });
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*require-trusted-types-for 'script'; trusted-types 'none'$/,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('carries hostile texts as data', async () => {
    const { client } = installed.connection;
    const image = `<script>alert(1)</script>\u202e${'y'.repeat(10_000)}`;
    await client.create(deployments, deployment('hostile', image));
    const message = '"><img src=x onerror=alert(1)>\u0007';
    const { apiVersion, kind } = { apiVersion: 'supercargo.dev/v1alpha1', kind: 'MirroredImage' };
    const metadata = { name: 'hostile', labels: { 'supercargo.dev/owner': 'supercargo' } };
    const spec = { source: 'docker.io/library/nginx:1.25', copy: 'backup.example/nginx:1.25' };
    await client.create<KubeObject>(copies, { apiVersion, kind, metadata, spec });
    const status = { phase: 'Failed', message };
    await client.patch(copies, { name: 'hostile' }, { type: 'merge', body: { status } }, { subresource: 'status' });
    await eventually(async () => {
      const { items } = await get<ImagesAnswer>('/api/images?sort=copy');
      expect(items[0]).toMatchObject({ copy: 'failed', copyMessage: message });
      const hostile = items.find(({ id }) => id.startsWith('<script>'));
      expect(hostile?.id.length).toBeLessThan(300);
      const found = await get<ImageAnswer>(`/api/image?id=${encodeURIComponent(hostile!.id)}`);
      expect(found.runs.items[0]?.writtenAs).toBe(image);
    });
    const { attention } = await get<Overview>('/api/overview');
    expect(attention.items).toContainEqual(expect.objectContaining({ kind: 'copy-failed', message }));
  });

  it('shows policies of expressions that are not ready, and their exceptions', async () => {
    const { client } = installed.connection;
    for (const type of celPolicyTypes) {
      const { kind, namespaced } = type;
      const place = { name: 'broken', ...(namespaced ? { namespace: 'shop' } : {}) };
      const apiVersion = 'policies.kyverno.io/v1';
      const spec = specs[kind.replace('Namespaced', '')];
      await client.create<KubeObject>(type, { apiVersion, kind, metadata: place, spec });
      const status = { conditionStatus: { ready: false, message: `${kind} cannot run` } };
      await client.patch(type, place, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
    const { kind } = celExceptionType;
    const metadata = { name: 'exempt', namespace: 'shop' };
    const spec = { policyRefs: [{ name: 'broken', kind: 'ValidatingPolicy' }] };
    await client.create<KubeObject>(celExceptionType, { apiVersion: 'policies.kyverno.io/v1', kind, metadata, spec });
    await eventually(async () => {
      const { attention } = await get<Overview>('/api/overview');
      const broken = attention.items.filter((one) => one.kind === 'policy-not-ready');
      expect(broken.map(({ object, message }) => `${object?.kind}: ${message}`).sort()).toEqual(
        celPolicyTypes.map((type) => `${type.kind}: ${type.kind} cannot run`).sort(),
      );
      const { policies, exceptions } = await get<ResultGroups>('/api/results/groups');
      expect(policies.map(({ policy }) => policy.kind).sort()).toEqual(celPolicyTypes.map((type) => type.kind).sort());
      expect(exceptions.items).toMatchObject([
        { object: { apiVersion: 'policies.kyverno.io/v1', name: 'exempt' }, rules: ['ValidatingPolicy/broken/*'] },
      ]);
    });
    const { watches } = await get<SystemAnswer>('/api/system');
    expect(watches.filter(({ kind: of }) => of.endsWith('ingPolicy')).map(({ isSynced }) => isSynced)).toEqual(
      celPolicyTypes.map(() => true),
    );
    for (const type of celPolicyTypes)
      await client.delete(type, { name: 'broken', ...(type.namespaced ? { namespace: 'shop' } : {}) });
  });

  it('copies commands with kinds that kubectl finds: the cluster serves them under that name and group', async () => {
    const { client } = installed.connection;
    const served = new Set<string>();
    const read = async <T>(path: string) => (await client.raw(path)).value as T;
    const { groups } = await read<{ groups: { name: string; versions: { groupVersion: string }[] }[] }>('/apis');
    const versions = groups.flatMap(({ name, versions: all }) =>
      all.map(({ groupVersion }) => [name, `/apis/${groupVersion}`] as const),
    );
    for (const [group, path] of [['', '/api/v1'] as const, ...versions])
      for (const { singularName } of (await read<{ resources: { singularName: string }[] }>(path)).resources)
        for (const word of [singularName, `${singularName}.${group}`]) served.add(word);
    const place = { namespace: 'shop', name: 'x' };
    const about = { apiVersion: 'apps/v1', kind: 'Deployment', ...place };
    const { copy, detection, policy, job, result } = rowCommands;
    const commands = [copy(place), detection(place), policy(place), job(place), result({ resource: about })];
    const words = commands.map((command) => /^kubectl describe (?:--namespace=shop )?([^/ ]+)\/x$/.exec(command)?.[1]);
    for (const type of [...Object.values(policyTypes), ...celPolicyTypes, celExceptionType])
      words.push(kubectlKind(`${type.group}/${type.version}`, type.kind));
    for (const word of words) expect(served, word).toContain(word);
  });

  it('explains why a rule decided as it did on an object as it is now, and no Secret', async () => {
    const { client } = installed.connection;
    const match = { any: [{ resources: { kinds: ['Deployment', 'Secret'] } }] };
    const path = { spec: { template: { spec: { containers: [{ image: '!nginx:*' }] } } } };
    await client.create<KubeObject>(policyTypes.clusterPolicy, {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: { name: 'no-nginx' },
      spec: { rules: [{ name: 'image', match, validate: { message: 'not nginx', pattern: path } }] },
    });
    const queryOf = (more: object) =>
      `/api/explain?${new URLSearchParams({ policy: 'no-nginx', rule: 'image', apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', ...more })}`;
    // A busy machine is told as 503.
    const answer = await eventually(() => get<ExplainAnswer>(queryOf({})));
    expect(answer).toMatchObject({ policy: 'no-nginx', rule: 'image', result: 'fail', tree: { status: 'fail' } });
    expect(JSON.stringify(answer.tree)).toContain('found \\"nginx:1.25\\"');
    const secrets = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
    const metadata = { name: 'key', namespace: 'shop' };
    await client.create<KubeObject>(secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
    const statusOf = (more: object) =>
      eventually(async () => {
        const { status } = await fetch(`${origin}${queryOf(more)}`, { headers });
        expect(status).not.toBe(503);
        return status;
      });
    expect(await statusOf({ apiVersion: 'v1', kind: 'Secret', name: 'key' })).toBe(404);
    expect(await statusOf({ rule: 'none' })).toBe(404);
    expect(await statusOf({ policy: 'none' })).toBe(404);
    expect(await statusOf({ kind: '' })).toBe(400);
    expect(await statusOf({})).toBe(200);
  });

  it('tells what changed on a stream, and after a break what was missed', async () => {
    const { client } = installed.connection;
    const first = await readStream(`${origin}/api/events`, headers);
    expect(await first.next('hello')).toMatchObject({ isResumed: false });
    await client.create(deployments, deployment('one', 'redis:7'));
    const seen = await first.until('change', ({ images }) => images?.includes('docker.io/library/redis:7') === true);
    expect(seen.views).toEqual(expect.arrayContaining(['overview', 'images']));
    const { lastId } = first;
    first.close();
    await client.create(deployments, deployment('two', 'busybox:1'));
    await eventually(async () => expect((await get<ImagesAnswer>('/api/images?q=busybox')).matched).toBe(1));
    const second = await readStream(`${origin}/api/events`, { ...headers, 'last-event-id': lastId });
    expect(await second.next('hello')).toMatchObject({ isResumed: true });
    await second.until('change', ({ images }) => images?.includes('docker.io/library/busybox:1') === true);
    second.close();
    const { lastEventId } = await get<Session>('/api/session');
    await client.create(deployments, deployment('three', 'postgres:17'));
    await eventually(async () => expect((await get<ImagesAnswer>('/api/images?q=postgres')).matched).toBe(1));
    const opened = await readStream(`${origin}/api/events`, { ...headers, 'last-event-id': lastEventId });
    expect(await opened.next('hello')).toMatchObject({ isResumed: true });
    await opened.until('change', ({ images }) => images?.includes('docker.io/library/postgres:17') === true);
    opened.close();
    const stranger = await readStream(`${origin}/api/events`, { ...headers, 'last-event-id': '000000000000-3' });
    expect(await stranger.next('hello')).toMatchObject({ isResumed: false });
    stranger.close();
  });

  it('pages through rows by cursor, each row once', async () => {
    const all = await get<ImagesAnswer>('/api/images');
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const more: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page: ImagesAnswer = await get<ImagesAnswer>(`/api/images?limit=2${more}`);
      expect(page.offset).toBe(found.length);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(all.items.map(({ id }) => id));
    expect(new Set(found).size).toBe(all.total);
  });
});
