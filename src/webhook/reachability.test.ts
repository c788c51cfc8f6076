import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import { type EventContent, KubeError, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createReachability } from './reachability.ts';

const place = { method: 'POST', path: '/' };
const refused = 'failed calling webhook: connection refused';

/** A leader whose API server answers the dry run of a Lease with this. */
function lead(answer: (lease: KubeObject) => string | undefined) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const stored: KubeObject[] = [];
  const leases: { readonly object: KubeObject; readonly dryRun: boolean | undefined }[] = [];
  const client = {
    async get() {
      if (stored[0]) return stored[0];
      throw new KubeError('kube-not-found', 'not found', place);
    },
    async create({ resource }: ResourceType, object: KubeObject, { dryRun }: { readonly dryRun?: boolean } = {}) {
      if (resource !== 'leases') return void stored.push(object);
      leases.push({ object, dryRun });
      const message = answer(object);
      if (message !== undefined) throw new KubeError('kube-forbidden', message, place);
    },
  };
  const events: EventContent[] = [];
  const metric: (boolean | undefined)[] = [];
  let notify = () => {};
  const reachability = createReachability({
    client: client as never,
    installation: 'i',
    namespace: 'home',
    group: 'admission',
    options: () => ({ address: { url: 'https://h' }, bundle: '', exemptNamespaces: ['home'] }),
    subscribe(listener) {
      notify = listener;
      return () => {};
    },
    metrics: { reached: (_, isReached) => void metric.push(isReached) },
    events: { record: (_, event) => void events.push(event) },
    clock,
    log: silentLogger,
  });
  const changes: (string | undefined)[] = [];
  reachability.onChange(() => changes.push(reachability.isReached ? 'reached' : reachability.problem));
  const done = reachability.run(stop.signal);
  return {
    ...{ clock, stored, leases, events, metric, changes, reachability },
    change: () => notify(),
    async stop() {
      stop.abort();
      await done;
    },
  };
}

const answered = ({ metadata }: KubeObject) =>
  `admission webhook "probe.i.svc" denied the request: the webhook answers probe ${metadata.name}`;

test('a refusal that came back with the name of the object shows that the server is reached', async () => {
  const leader = lead(answered);
  await leader.clock.advance(0);
  expect(leader.changes).toEqual(['reached']);
  expect(leader.leases.map(({ object, dryRun }) => [object.metadata.namespace, dryRun])).toEqual([['home', true]]);
  const [webhook] = leader.stored[0]!['webhooks'] as readonly Record<string, unknown>[];
  expect(webhook).toMatchObject({
    failurePolicy: 'Fail',
    clientConfig: { url: 'https://h/probe' },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'home' } },
    objectSelector: { matchLabels: { 'supercargo.dev/webhook-probe': 'i' } },
  });
  await leader.stop();
  expect(leader.metric).toEqual([true, undefined]);
});

test('a refusal by another, an old one and an acceptance show nothing', async () => {
  for (const answer of [
    () => 'admission webhook "other" denied the request: no',
    () => answered({ apiVersion: '', kind: '', metadata: { name: 'i-probe-old' } }),
    () => undefined,
  ]) {
    const leader = lead(answer);
    await leader.clock.advance(60_000);
    expect(leader.reachability.isReached).toBe(false);
    expect(leader.reachability.problem).toBeDefined();
    await leader.stop();
  }
});

test('the API server has time to learn of the webhook', async () => {
  let count = 0;
  const leader = lead((lease) => (++count < 20 ? undefined : answered(lease)));
  await leader.clock.advance(2_000);
  expect(leader.changes).toEqual(['reached']);
  await leader.stop();
});

test('a problem is told after the grace, once for each cause, and so is its end', async () => {
  let isUp = false;
  let port = 40_000;
  const failing = lead((lease) => (isUp ? answered(lease) : `${refused} from 10.0.0.1:${port++}`));
  await failing.clock.advance(9_000);
  expect([failing.changes, failing.events]).toEqual([[], []]);
  await failing.clock.advance(120_000);
  expect(failing.changes).toHaveLength(1);
  expect(failing.reachability.problem).toContain(refused);
  expect(failing.leases.length).toBeGreaterThan(10);
  isUp = true;
  await failing.clock.advance(20_000);
  expect(failing.reachability).toMatchObject({ isReached: true, problem: undefined });
  expect(failing.events.map(({ reason }) => reason)).toEqual(['WebhookUnreachable', 'WebhookReachable']);
  await failing.stop();
});

test('one that is lost later stays reached, as what is registered stays, and is told', async () => {
  let isUp = true;
  const leader = lead((lease) => (isUp ? answered(lease) : refused));
  await leader.clock.advance(0);
  isUp = false;
  // A change of the certificate is tried at once.
  leader.change();
  await leader.clock.advance(30_000);
  expect(leader.reachability).toMatchObject({ isReached: true, problem: refused });
  expect(leader.metric).toContain(false);
  await leader.stop();
});
