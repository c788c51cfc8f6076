import { expect, test } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import { KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { maxConfigurationBytes } from './entry-space.ts';
import type { Reachability } from './reachability.ts';
import { createRegistrar } from './registrar.ts';
import type { RefusedEntry, WebhookEntry } from './reviewer.ts';

const entry = (name: string, more: Partial<WebhookEntry> = {}): WebhookEntry => ({
  name,
  path: `/${name}`,
  rules: [],
  failurePolicy: 'Fail',
  timeoutSeconds: 5,
  ...more,
});
const condition = (expression: string) => ({ matchConditions: [{ name: 'c', expression }] });

type Webhook = { readonly name: string; readonly matchConditions?: readonly { readonly expression: string }[] };
const webhooksOf = (object: KubeObject) => object['webhooks'] as readonly Webhook[];
const invalid = (fields: readonly string[]) =>
  new KubeError('kube-invalid', 'invalid', {
    method: 'POST',
    path: '/',
    causes: fields.map((field) => ({ reason: 'FieldValueInvalid', message: `${field} is wrong`, field })),
  });

const reached: Reachability = {
  isReached: true,
  problem: undefined,
  registration: { name: 'probe-x', type: 'mutating' },
  onChange: () => () => {},
  run: async () => {},
};

/** What is registered of these entries at a server with a size limit that rejects the expression `bad`. */
async function register(
  entries: readonly WebhookEntry[],
  refuse: (webhooks: readonly Webhook[], end: () => void) => readonly string[],
) {
  const stop = new AbortController();
  let stored: KubeObject | undefined;
  const client = {
    async get() {
      throw new KubeError('kube-not-found', 'not found', { method: 'GET', path: '/' });
    },
    async create(_: unknown, object: KubeObject) {
      if (JSON.stringify(object).length > 1.5 * 1024 * 1024)
        throw new KubeError('kube-too-large', 'too large', { method: 'POST', path: '/' });
      const fields = refuse(webhooksOf(object), () => stop.abort());
      if (fields.length > 0) throw invalid(fields);
      stored = object;
    },
  };
  let reported: readonly RefusedEntry[] = [];
  const registrar = createRegistrar({
    client: client as never,
    informers: { for: () => ({ addHandler: () => () => {} }) } as never,
    registrations: [
      {
        name: 'n',
        type: 'validating',
        entries: async () => entries,
        subscribe: () => () => {},
        onRegistered: (_, refused) => void (reported = refused),
      },
    ],
    metrics: unreadMetrics(),
    installation: 'i',
    options: () => ({ address: { url: 'https://h' }, bundle: '', exemptNamespaces: [] }),
    subscribe: () => () => {},
    reachability: reached,
    removeOnStop: false,
    onAllRegistered: () => stop.abort(),
    clock: systemClock,
    log: silentLogger,
  });
  await registrar.run(AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]));
  return {
    names: stored && webhooksOf(stored).map(({ name }) => name.replace('.i.svc', '')),
    refused: reported.map(({ entry: { name }, message }) => [name, message]),
  };
}

test('only an entry that the API server refuses is left unregistered', async () => {
  const bad = (webhooks: readonly Webhook[]) =>
    webhooks.flatMap(({ matchConditions = [] }, i) =>
      matchConditions.some(({ expression }) => expression === 'bad')
        ? [`webhooks[${i}].matchConditions[0].expression`]
        : [],
    );
  const entries = [
    entry('a'),
    entry('b', condition('bad')),
    entry('c', condition('true')),
    entry('d', condition('bad')),
  ];
  expect(await register(entries, bad)).toEqual({
    names: ['a', 'c'],
    refused: [
      ['b', 'webhooks[1].matchConditions[0].expression is wrong'],
      ['d', 'webhooks[3].matchConditions[0].expression is wrong'],
    ],
  });
});

test('an error in a field that all entries share removes no entry', async () => {
  const { names } = await register([entry('a')], (_, end) => {
    end();
    return ['webhooks[0].clientConfig.caBundle'];
  });
  expect(names).toBeUndefined();
});

test('a namespace whose entries exceed its share loses only its own', async () => {
  const large = condition('x'.repeat(maxConfigurationBytes - 10_000));
  const entries = [entry('a', { ...large, namespace: 'greedy' }), entry('b', { ...large, namespace: 'greedy' })];
  const { names, refused } = await register(
    [...entries, entry('cluster'), entry('c', { namespace: 'shop' })],
    () => [],
  );
  expect(names).toEqual(['a', 'cluster', 'c']);
  expect(refused).toEqual([['b', expect.stringContaining('namespace greedy')]]);
});

test('the first change is registered at once, and those of the next second together', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const registeredAt: number[] = [];
  let change = () => {};
  let stored: KubeObject | undefined;
  let count = 1;
  const client = {
    async get() {
      if (stored) return stored;
      throw new KubeError('kube-not-found', 'not found', { method: 'GET', path: '/' });
    },
    async create(_: unknown, object: KubeObject) {
      stored = { ...object, metadata: { ...object.metadata, labels: { 'supercargo.dev/owner': 'i' } } };
    },
    async replace(_: unknown, object: KubeObject) {
      stored = object;
    },
  };
  const registrar = createRegistrar({
    client: client as never,
    informers: { for: () => ({ addHandler: () => () => {} }) } as never,
    registrations: [
      {
        name: 'n',
        type: 'validating',
        entries: async () => Array.from({ length: count }, (_, i) => entry(`e${i}`)),
        subscribe(listener) {
          change = listener;
          return () => {};
        },
        onRegistered: (entries) => void registeredAt.push(clock.now() * 100 + entries.length),
        forget: () => void registeredAt.push(-1),
      },
    ],
    metrics: unreadMetrics(),
    installation: 'i',
    options: () => ({ address: { url: 'https://h' }, bundle: '', exemptNamespaces: [] }),
    subscribe: () => () => {},
    reachability: reached,
    removeOnStop: false,
    onAllRegistered: () => {},
    clock,
    log: silentLogger,
  });
  const done = registrar.run(stop.signal);
  await clock.advance(0);
  for (let i = 0; i < 10; i++) {
    count++;
    change();
    await clock.advance(50);
  }
  await clock.advance(5_000);
  count++;
  change();
  await clock.advance(0);
  stop.abort();
  await done;
  // Time and number of webhooks: 1 at 0 ms, 11 after a second, 12 at once.
  // When leadership ends, nothing of it is known any more.
  expect(registeredAt).toEqual([1, 100_011, 550_012, -1]);
});

test('what nothing here answers any more is removed, unless it may not be: then another part registers it', async () => {
  const of = (name: string, service: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name, uid: name, labels: { 'supercargo.dev/owner': 'i' } },
    webhooks: [{ clientConfig: { service: { namespace: 'home', name: service, port: 443 } } }],
  });
  const stop = new AbortController();
  const removed: string[] = [];
  const tried: string[] = [];
  const forbidden = () => new KubeError('kube-forbidden', 'forbidden', { method: 'DELETE', path: '/' });
  const client = {
    async list({ resource }: { readonly resource: string }) {
      if (resource.startsWith('mutating')) throw forbidden();
      return { items: [of('i-n', 'here'), of('i-old', 'here'), of('i-moved', 'here'), of('i-elsewhere', 'there')] };
    },
    async delete(_: unknown, { name }: { readonly name: string }) {
      tried.push(name);
      if (tried.length === 2) stop.abort();
      if (name === 'i-moved') throw forbidden();
      removed.push(name);
    },
  };
  const registrar = createRegistrar({
    client: client as never,
    informers: { for: () => ({ addHandler: () => () => {} }) } as never,
    registrations: [{ name: 'n', type: 'validating', entries: () => new Promise(() => {}), subscribe: () => () => {} }],
    metrics: unreadMetrics(),
    installation: 'i',
    options: () => ({
      address: { service: { namespace: 'home', name: 'here', port: 443 } },
      bundle: '',
      exemptNamespaces: [],
    }),
    subscribe: () => () => {},
    reachability: { ...reached, isReached: false },
    removeOnStop: false,
    onAllRegistered: () => {},
    clock: systemClock,
    log: silentLogger,
  });
  await registrar.run(AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]));
  expect({ tried, removed }).toEqual({ tried: ['i-old', 'i-moved'], removed: ['i-old'] });
});
