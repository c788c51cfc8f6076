import { describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../base/index.ts';
import { createClusterAccess, createLinkAccess } from './access.ts';
import { readableOf, seesAll } from './visibility.ts';

const signal = new AbortController().signal;

/** An API server that knows the user `ann`, who may list what `allowed` names as `resource` or `namespace/resource`. */
function fakeServer(allowed: readonly string[]) {
  const asked: string[] = [];
  const raw = async (path: string, { post }: { post?: unknown } = {}) => {
    const { spec } = post as { spec: Record<string, Record<string, string>> & { token?: string } };
    if (path.endsWith('tokenreviews'))
      return { value: { status: { authenticated: spec.token === 'good', user: { username: 'ann', groups: ['g'] } } } };
    const { namespace, resource, verb } = spec['resourceAttributes']!;
    expect([verb, spec['user']]).toEqual(['list', 'ann']);
    asked.push(namespace === undefined ? resource! : `${namespace}/${resource}`);
    return { value: { status: { allowed: allowed.includes(asked.at(-1)!) } } };
  };
  return { asked, client: { raw } as never };
}

describe('the access of a user of the cluster', () => {
  const open = (allowed: readonly string[]) => {
    const { asked, client } = fakeServer(allowed);
    const access = createClusterAccess({
      client,
      namespacesOf: () => ['a', 'b', 'a', ''],
      isComplete: () => true,
      clock: systemClock,
      log: silentLogger,
    });
    return { asked, access };
  };

  it('is not asked for again because of wrong tokens', async () => {
    const { asked, access } = open([]);
    await access('good', signal);
    const before = asked.length;
    for (let i = 0; i < 1_100; i++) expect(await access(`wrong ${i}`, signal)).toBeUndefined();
    expect(await access('good', signal)).toMatchObject({ user: 'ann' });
    expect(asked).toHaveLength(before);
  });

  it('is what the API server lets them list, everywhere or by namespace', async () => {
    const { asked, access } = open(['pods', 'a/policyreports', 'b/jobs']);
    const viewer = await access('good', signal);
    expect(viewer).toMatchObject({ user: 'ann', method: 'token' });
    const { sees } = viewer!;
    expect([sees.sees('pods', 'a'), sees.sees('pods', 'new'), sees.sees('pods', '')]).toEqual([true, true, true]);
    expect([sees.sees('policyreports', 'a'), sees.sees('policyreports', 'b')]).toEqual([true, false]);
    expect([sees.sees('policyreports', ''), sees.seesAny('policyreports')]).toEqual([false, true]);
    expect([sees.sees('jobs', 'b'), sees.seesAny('events'), sees.seesAny('mirroredimages')]).toEqual([
      true,
      false,
      false,
    ]);
    // Once for each namespace, and never for kinds without namespaces.
    expect(asked.filter((one) => one === 'a/jobs')).toHaveLength(1);
    expect(asked).not.toContain('a/mirroredimages');
  });

  it('is asked for once a minute, and not for strangers', async () => {
    const { asked, access } = open(['pods']);
    await Promise.all([access('good', signal), access('good', signal)]);
    const before = asked.length;
    await access('good', signal);
    expect(asked).toHaveLength(before);
    expect(await access('bad', signal)).toBeUndefined();
    expect(await access('x'.repeat(20_000), signal)).toBeUndefined();
    expect(asked).toHaveLength(before);
  });

  it('is asked for again after a minute, also where another token of the user was asked about meanwhile', async () => {
    const server = clusterOfServiceAccounts();
    let nowMs = 1;
    const access = createClusterAccess({ ...server, clock: { monotonicMs: () => nowMs }, log: silentLogger });
    await access('ann/a 0', signal);
    const once = server.asked();
    nowMs += 59_000;
    await access('ann/a 1', signal);
    expect(server.asked()).toBe(once);
    nowMs += 2_000;
    await access('ann/a 1', signal);
    expect(server.asked()).toBe(2 * once);
    nowMs += 60_001;
    await access('ann/a 1', signal);
    expect(server.asked()).toBe(3 * once);
  });

  it('is asked for again soon while the cluster is being read: namespaces appear', async () => {
    const { client } = fakeServer(['a/pods', 'b/pods']);
    const namespaces: string[] = [];
    let [nowMs, isComplete] = [1, false];
    const access = createClusterAccess({
      client,
      namespacesOf: () => namespaces,
      isComplete: () => isComplete,
      clock: { monotonicMs: () => nowMs },
      log: silentLogger,
    });
    const look = async () => {
      const { sees, isPartial } = (await access('good', signal))!;
      return [['a', 'b', 'c'].filter((name) => sees.sees('pods', name)), isPartial];
    };
    expect(await look()).toEqual([[], true]);
    namespaces.push('a');
    nowMs += 2_001;
    expect(await look()).toEqual([['a'], true]);
    namespaces.push('b', 'c');
    isComplete = true;
    // What was asked for before is told as such.
    expect(await look()).toEqual([['a'], true]);
    nowMs += 2_001;
    expect(await look()).toEqual([['a', 'b'], false]);
  });

  it('is asked for again after a failure', async () => {
    let fails = true;
    const { client } = fakeServer(['pods']) as { client: { raw: (...args: unknown[]) => Promise<unknown> } };
    const failing = {
      raw: (...args: unknown[]) => (fails ? Promise.reject(new Error('gone')) : client.raw(...args)),
    } as never;
    const access = createClusterAccess({
      client: failing,
      namespacesOf: () => [],
      isComplete: () => true,
      clock: systemClock,
      log: silentLogger,
    });
    await expect(access('good', signal)).rejects.toThrow('gone');
    fails = false;
    expect(await access('good', signal)).toMatchObject({ user: 'ann' });
  });

  it('refuses more unknown users at once than it asks for, and most of them of one address', async () => {
    const client = { raw: () => new Promise(() => {}) } as never;
    const access = createClusterAccess({
      client,
      namespacesOf: () => [],
      isComplete: () => true,
      clock: systemClock,
      log: silentLogger,
    });
    for (let index = 0; index < 24; index++) void access(`token-${index}`, signal, 'a');
    expect(() => access('one more', signal, 'a')).toThrow('too many users log in');
    for (let index = 0; index < 8; index++) void access(`other-${index}`, signal, 'b');
    expect(() => access('one more', signal, 'c')).toThrow('too many users log in');
  });

  it('is asked for once, however many tokens a user has', async () => {
    const server = clusterOfServiceAccounts();
    const access = createClusterAccess({ ...server, clock: systemClock, log: silentLogger });
    await access('mallory/a 0', signal);
    const before = server.asked();
    for (let index = 1; index < 50; index++)
      expect(await access(`mallory/a ${index}`, signal)).toMatchObject({ user: 'system:serviceaccount:mallory:a' });
    expect(server.asked()).toBe(before);
    await access('mallory/b 0', signal);
    expect(server.asked()).toBe(2 * before);
  });

  it('is asked for by few requests at once, and a tenant with many accounts keeps nobody out', async () => {
    const server = clusterOfServiceAccounts();
    server.hold();
    const access = createClusterAccess({ ...server, clock: systemClock, log: silentLogger });
    const attempts = Array.from({ length: 20 }, (_, index) => access(`mallory/${index} 0`, signal));
    const settled = Promise.allSettled(attempts);
    await expect.poll(server.active).toBeGreaterThan(0);
    const ann = access('ann/a 0', signal);
    server.release();
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await ann).toMatchObject({ user: 'system:serviceaccount:ann:a' });
    expect(server.most()).toBeLessThanOrEqual(32);
  });
});

/** It knows tokens `namespace/account number`, and lets nobody list anything. */
function clusterOfServiceAccounts() {
  let [asked, active, most] = [0, 0, 0];
  let release = () => {};
  let held = Promise.resolve();
  const raw = async (path: string, { post }: { post?: unknown } = {}) => {
    const { spec } = post as { spec: { token?: string } };
    if (path.endsWith('tokenreviews')) {
      const [account = '', number] = (spec.token ?? '').split(' ');
      const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${number}`] };
      const user = { username: `system:serviceaccount:${account.replace('/', ':')}`, groups: ['g'], extra };
      return { value: { status: { authenticated: true, user } } };
    }
    asked++;
    most = Math.max(most, ++active);
    await held;
    active--;
    return { value: { status: { allowed: false } } };
  };
  return {
    client: { raw } as never,
    isComplete: () => true,
    namespacesOf: () => Array.from({ length: 100 }, (_, index) => `n-${index}`),
    asked: () => asked,
    active: () => active,
    most: () => most,
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
  };
}

describe('the access by a link', () => {
  it('is everything for its token, and nothing for another', async () => {
    let sees = seesAll;
    const access = createLinkAccess({ token: 'the token', user: 'me', sees: () => sees, isComplete: () => true });
    expect((await access('the token', signal))?.sees.sees('mirroredimages', '')).toBe(true);
    expect(await access('the toke', signal)).toBeUndefined();
    expect(await access('', signal)).toBeUndefined();
    sees = readableOf([{ type: { resource: 'jobs' }, failing: { code: 'kube-forbidden' } }] as never);
    const now = (await access('the token', signal))!.sees;
    expect([now.sees('jobs', 'a'), now.sees('pods', 'a'), now.seesAllImages]).toEqual([false, true, true]);
  });
});
