import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { systemClock } from '../base/index.ts';
import { Cargo } from './cargo.ts';
import { createInterner } from './fields.ts';
import { resultsAnswer } from './lists.ts';
import { createReportProjection } from './project-reports.ts';
import { Query } from './query.ts';
import { createSessions } from './sessions.ts';
import { createStreams } from './stream.ts';
import { createSystem } from './system.ts';
import { seesAll, Visibility } from './visibility.ts';

/** What somebody with rights in one namespace learns, and can do to others. */

const mayGet = async () => true;

const requestWith = (cookie = ''): IncomingMessage =>
  ({ headers: { cookie }, socket: { localPort: 80 } }) as unknown as IncomingMessage;

it('many sessions of one user do not end those of another', () => {
  const sessions = createSessions();
  const cookieOf = (user: string) => sessions.open(requestWith(), `token of ${user}`, user).split(';', 1)[0]!;
  const ann = cookieOf('ann');
  const first = cookieOf('mallory');
  for (let i = 0; i < 1_100; i++) cookieOf('mallory');
  expect(sessions.tokenOf(requestWith(ann))).toBe('token of ann');
  expect(sessions.tokenOf(requestWith(first))).toBeUndefined();
  expect(sessions.tokenOf(requestWith(cookieOf('mallory')))).toBe('token of mallory');
});

it('many streams of one user leave streams for another', () => {
  const streams = createStreams({ cargo: new Cargo(() => 1), clock: systemClock });
  const response = { writeHead() {}, write() {}, on() {}, writableLength: 0 } as unknown as ServerResponse;
  const rights = { isSignedIn: () => true, look: async () => ({ sees: seesAll }) };
  const open = (user: string, method: 'token' | 'link' = 'token') =>
    streams.open(requestWith(), response, { user, method, sees: seesAll, mayGet }, rights);
  for (let i = 0; i < 20; i++) open('mallory');
  expect(() => open('mallory')).toThrow('too many streams');
  open('ann');
  // Those who have the link are one user.
  for (let i = 0; i < 79; i++) open('you', 'link');
  expect(() => open('ann')).toThrow('too many streams');
});

/** What a stream writes for a user, and a look for changes whenever asked. */
async function followChanges(sees: Visibility) {
  let look = () => {};
  const clock = {
    ...systemClock,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        look = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const cargo = new Cargo(() => 1);
  const streams = createStreams({ cargo, clock });
  const end = new AbortController();
  const running = streams.run(end.signal);
  const written: string[] = [];
  const response = {
    writeHead() {},
    on() {},
    end() {},
    write: (text: string) => written.push(text),
    writableLength: 0,
  };
  const viewer = { user: 'ann', method: 'token', sees, mayGet } as const;
  const rights = { isSignedIn: () => true, look: async () => ({ sees }) };
  streams.open(requestWith(), response as unknown as ServerResponse, viewer, rights);
  written.length = 0;
  return {
    cargo,
    streams,
    /** The data of the message after a look; undefined if there is none. */
    async next(): Promise<object | undefined> {
      const before = look;
      before();
      await expect.poll(() => look !== before).toBe(true);
      const [message] = written.splice(0);
      return message === undefined ? undefined : (JSON.parse(/^data: (.*)$/m.exec(message)![1]!) as object);
    },
    stop: () => {
      end.abort();
      return running;
    },
  };
}

it('a stream tells nothing of objects that the user may not list, not even that an image changed', async () => {
  const { cargo, next, stop, streams } = await followChanges(seesIn('shop', 'pods'));
  const put = (namespace: string, name: string, image = 'nginx:1') => {
    const images = [{ container: 'app', image, source: image }];
    cargo.putWorkload('Deployment', `${namespace}/${name}`, { kind: 'Deployment', namespace, name, images });
  };
  put('shop', 'web');
  put('shop', 'db', 'redis:7');
  await next();
  put('bank', 'web');
  expect(await next()).toBeUndefined();
  // Of the same namespace, but of a kind that they may not list.
  cargo.putEvent('shop/e', { namespace: 'shop', kind: 'Pod', name: 'web', reason: 'Failed' } as never);
  cargo.putScanPolicy('shop/p', { namespace: 'shop', name: 'p' } as never);
  expect(await next()).toBeUndefined();
  // An image that changed for others at the same time is not named.
  put('bank', 'more');
  put('shop', 'more', 'redis:7');
  expect(await next()).toEqual({ views: ['images', 'overview'], images: ['docker.io/library/redis:7'] });
  // Its results are those of a workload.
  const {
    cargo: reported,
    next: nextReported,
    stop: stopReported,
  } = await followChanges(
    new Visibility(
      new Set(),
      new Map([
        ['pods', new Set(['other'])],
        ['policyreports', new Set(['shop', 'other'])],
      ]),
    ),
  );
  const { reports, workloads } = cargoWithReport('shop');
  for (const workload of workloads.values()) reported.putWorkload('Deployment', 'shop/web', workload);
  await nextReported();
  for (const report of reports.values()) reported.putReport('r', report);
  expect(await nextReported()).toEqual({ views: ['results', 'overview'], images: [] });
  // The ids do not count the changes.
  const { streams: quiet, next: nextQuiet, stop: stopQuiet } = await followChanges(seesIn('shop', 'pods'));
  for (let i = 0; i < 4; i++) await nextQuiet();
  const numberOf = ({ lastEventId }: typeof quiet) => lastEventId.split('-')[1];
  expect(numberOf(quiet)).toBe(numberOf(streams));
  await Promise.all([stop(), stopReported(), stopQuiet()]);
});

it('a stream that was opened while the cluster is read follows the rights of its user soon', async () => {
  let [nowMs, looks] = [0, 0];
  let tick = () => {};
  const clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        tick = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const streams = createStreams({ cargo: new Cargo(() => 1), clock });
  const end = new AbortController();
  const running = streams.run(end.signal);
  const written: string[] = [];
  const response = {
    writeHead() {},
    on() {},
    end() {},
    write: (text: string) => written.push(text),
    writableLength: 0,
  };
  const viewer = { user: 'ann', method: 'token', sees: seesIn('shop'), isPartial: true, mayGet } as const;
  const look = async () => ({ sees: seesIn('shop', 'pods'), isPartial: looks++ === 0 });
  streams.open(requestWith(), response as unknown as ServerResponse, viewer, { isSignedIn: () => true, look });
  const after = async (ms: number) => {
    nowMs += ms;
    const before = tick;
    before();
    await expect.poll(() => tick !== before).toBe(true);
  };
  written.length = 0;
  await after(2_000);
  await expect.poll(() => written.join('')).toContain('"images"');
  await after(2_000);
  await expect.poll(() => looks).toBe(2);
  // They are complete now, and hold for a minute.
  await after(2_000);
  await after(57_000);
  expect(looks).toBe(2);
  await after(1_000);
  await expect.poll(() => looks).toBe(3);
  end.abort();
  await running;
});

it('who may not list pods everywhere is not told how much the page keeps', async () => {
  const { memory } = await systemWith()(
    { user: 'u', method: 'token', sees: seesIn('shop', 'pods'), mayGet },
    new AbortController().signal,
  );
  expect(memory).toEqual({ images: 0, heapBytes: 0, streams: 0 });
});

it('counts of watches are for those who may list the kind everywhere', async () => {
  const watch = (kind: string, resource: string) => ({ type: { kind, resource, group: '' }, size: 7, hasSynced: true });
  const system = systemWith(
    watch('Pod', 'pods'),
    watch('Deployment', 'deployments'),
    watch('MirroredImage', 'mirroredimages'),
    watch('ClusterPolicy', 'clusterpolicies'),
  );
  const sees = new Visibility(new Set(['pods']), new Map());
  const { watches } = await system({ user: 'u', method: 'token', sees, mayGet }, new AbortController().signal);
  expect(watches.map(({ kind }) => kind)).toEqual(['Pod', 'Deployment']);
});

function cargoWithReport(reportNamespace: string): Cargo {
  const cargo = new Cargo(() => 1);
  const images = [{ container: 'app', image: 'r.example/secret:1', source: 'r.example/secret:1' }];
  cargo.putWorkload('Deployment', 'shop/web', { kind: 'Deployment', namespace: 'shop', name: 'web', images });
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const report = createReportProjection({ intern: createInterner(), key: (_, key) => key })({
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    metadata: { name: 'r', namespace: reportNamespace },
    results: [{ policy: 'p', rule: 'r', result: 'fail', message: 'm', resources: [resource] }],
  });
  cargo.putReport('r', report);
  return cargo;
}
const seesIn = (namespace: string, ...kinds: readonly ('pods' | 'policyreports')[]) =>
  new Visibility(new Set(), new Map(kinds.map((kind) => [kind, new Set([namespace])])));
const query = (text = '') => new Query(new URLSearchParams(text));

it('who may list reports and no Pods does not learn the images of workloads', () => {
  const cargo = cargoWithReport('shop');
  const imagesFor = (sees: Visibility) => resultsAnswer(cargo, query(), sees).items.map(({ images }) => images);
  expect(imagesFor(seesIn('shop', 'policyreports'))).toEqual([[]]);
  expect(imagesFor(seesIn('shop', 'policyreports', 'pods'))).toEqual([['r.example/secret:1']]);
  const filtered = resultsAnswer(cargo, query('image=r.example/secret:1'), seesIn('shop', 'policyreports'));
  expect(filtered.matched).toBe(0);
});

it('a report of one namespace says nothing about objects of another', () => {
  const cargo = cargoWithReport('mallory');
  expect(resultsAnswer(cargo, query(), seesIn('shop', 'policyreports', 'pods')).items).toEqual([]);
  expect([...cargo.resultsOf('Deployment', 'shop', 'web')]).toEqual([]);
});

function systemWith(...watched: readonly object[]) {
  return createSystem({
    client: { list: async () => ({ items: [] }) } as never,
    cargo: new Cargo(() => 1),
    watched: watched as never,
    syncRuns: () => [],
    installation: 'supercargo',
    namespace: 'supercargo',
    version: '1',
    kubernetes: '1',
    features: [],
    configuration: {},
    streams: () => 0,
  });
}

it('who sees one namespace is not told how many objects there are in all', async () => {
  const system = systemWith({ type: { kind: 'Pod', group: '' }, size: 1_234, hasSynced: true });
  const answerFor = (sees: Visibility) =>
    system({ user: 'u', method: 'token', sees, mayGet }, new AbortController().signal).then(({ watches }) => watches);
  expect(await answerFor(seesAll)).toMatchObject([{ kind: 'Pod', objects: 1_234 }]);
  expect(await answerFor(seesIn('shop', 'pods'))).toEqual([]);
});

it('a kind of a program that the cluster does not have is absent, and no problem', async () => {
  const failing = { code: 'kube-not-found', error: 'the server could not find the requested resource', sinceMs: 0 };
  const forbidden = { code: 'kube-forbidden', error: 'forbidden', sinceMs: 0 };
  const scanner = { kind: 'VulnerabilityReport', group: 'aquasecurity.github.io' };
  const reports = { kind: 'PolicyReport', group: 'wgpolicyk8s.io' };
  const system = systemWith(
    { type: scanner, size: 0, hasSynced: false, failing },
    { type: scanner, size: 0, hasSynced: false, failing: forbidden },
    { type: reports, size: 0, hasSynced: false, failing },
  );
  const viewer = { user: 'u', method: 'token', sees: seesAll, mayGet } as const;
  const { watches } = await system(viewer, new AbortController().signal);
  expect(watches).toEqual([
    { kind: 'VulnerabilityReport', objects: 0, isSynced: false, isAbsent: true },
    { kind: 'VulnerabilityReport', objects: 0, isSynced: false, problem: 'forbidden' },
    { kind: 'PolicyReport', objects: 0, isSynced: false, problem: failing.error },
  ]);
});
