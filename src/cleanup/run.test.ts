import { expect, it } from 'vitest';
import { KubeError } from '../kube/index.ts';
import { ManualClock } from '../kube/testing/manual-clock.ts';
import type { KubeObject } from '../object/index.ts';
import { compileException, type ExceptionProgram } from '../policy/index.ts';
import { type RunOptions, runPolicy } from './run.ts';
import { deletingPolicy, namespacedPolicy, pod, pods, programOf } from './testing/policies.ts';

const refused = (code: KubeError['code'], details = {}) =>
  new KubeError(code, code, { method: 'DELETE', path: '/', ...details });

/** A server with these pods. `onDelete` may throw in place of it. */
class FakeServer {
  readonly deleted: object[] = [];
  readonly listed: object[] = [];
  readonly objects: Map<string, KubeObject>;
  onDelete: (name: string) => void = () => {};

  constructor(...objects: readonly KubeObject[]) {
    this.objects = new Map(objects.map((object) => [object.metadata.name!, object]));
  }

  readonly client = {
    get: async (_: unknown, { name }: { readonly name: string }) => {
      const found = this.objects.get(name);
      if (!found) throw refused('kube-not-found');
      return found;
    },
    pages: (_: unknown, options: { readonly namespace?: string }) => {
      this.listed.push({ namespace: options.namespace });
      const items = [...this.objects.values()];
      return (async function* () {
        yield { resourceVersion: '1', items };
      })();
    },
    delete: async (
      _: unknown,
      { name }: { readonly name: string },
      { signal: __, ...options }: { signal?: unknown },
    ) => {
      this.onDelete(name);
      if (!this.objects.delete(name)) throw refused('kube-not-found');
      this.deleted.push({ name, ...options });
    },
  } as unknown as RunOptions['client'];
}

interface Given extends Partial<RunOptions> {
  readonly policy?: KubeObject;
  readonly isCurrent?: () => boolean;
}

async function run(server: FakeServer, { policy = deletingPolicy(), isCurrent = () => true, ...more }: Given = {}) {
  const failures: string[] = [];
  const options: RunOptions = {
    client: server.client,
    lookUps: { answer: () => Promise.reject(new Error('not used')) },
    exceptions: () => [],
    namespaceLabels: async () => ({}),
    isSpared: () => false,
    maxDeletions: 100,
    timeoutMs: 60_000,
    onDeleted: () => {},
    onFailed: (_, object, message) => void failures.push(`${object?.metadata.name ?? '-'}: ${message}`),
    clock: new ManualClock(),
    ...more,
  };
  const signal = new AbortController().signal;
  const outcome = await runPolicy(programOf(policy), [pods], options, { isCurrent, signal });
  return { ...outcome, failures };
}

it('deletes what matches, in exactly the state that was judged', async () => {
  const server = new FakeServer(pod('old', 'Succeeded', { resourceVersion: '7' }), pod('new', 'Running'));
  const policy = deletingPolicy({ deletionPropagationPolicy: 'Foreground' });
  expect(await run(server, { policy })).toMatchObject({ deleted: 1, problems: [], isCutShort: false });
  expect(server.deleted).toEqual([
    { name: 'old', preconditions: { uid: 'uid-old', resourceVersion: '7' }, propagationPolicy: 'Foreground' },
  ]);
});

it('an object that changed in between is judged anew', async () => {
  const server = new FakeServer(pod('a', 'Succeeded'), pod('b', 'Succeeded'));
  const seen = new Set<string>();
  server.onDelete = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    server.objects.set(name, pod(name, name === 'a' ? 'Running' : 'Succeeded', { resourceVersion: '2' }));
    throw refused('kube-conflict');
  };
  expect(await run(server)).toMatchObject({ deleted: 1, problems: [] });
  expect(server.deleted).toMatchObject([{ name: 'b', preconditions: { resourceVersion: '2' } }]);
});

it('another object of the same name is not deleted', async () => {
  const server = new FakeServer(pod('a', 'Succeeded'));
  server.onDelete = (name) => {
    server.objects.set(name, pod(name, 'Succeeded', { uid: 'another' }));
    throw refused('kube-conflict');
  };
  expect(await run(server)).toMatchObject({ deleted: 0, problems: [] });
});

it('what is gone or going is left alone and not counted', async () => {
  const server = new FakeServer(pod('gone', 'Succeeded'), pod('going', 'Succeeded', { deletionTimestamp: 'now' }));
  server.onDelete = (name) => void server.objects.delete(name);
  expect(await run(server)).toMatchObject({ deleted: 0, problems: [] });
  expect(server.deleted).toEqual([]);
});

it('an object that cannot be judged is kept, and said', async () => {
  const policy = deletingPolicy({ conditions: [{ name: 'c', expression: 'object.nowhere == 1' }] });
  const { deleted, problems, failures } = await run(new FakeServer(pod('a', 'Succeeded')), { policy });
  expect({ deleted, problems }).toEqual({ deleted: 0, problems: [expect.stringContaining('Pod shop/a: ')] });
  expect(failures).toHaveLength(1);
});

it.each([undefined, 'skip', 'pass'])('an exception spares what it exempts (reportResult %s)', async (reportResult) => {
  const { program, issues } = compileException({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'PolicyException',
    metadata: { name: 'e', namespace: 'shop' },
    spec: {
      policyRefs: [{ name: 'p', kind: 'DeletingPolicy' }],
      matchConditions: [{ name: 'c', expression: "object.metadata.name == 'kept'" }],
      ...(reportResult && { reportResult }),
    },
  });
  expect(issues).toEqual([]);
  const server = new FakeServer(pod('kept', 'Succeeded'), pod('old', 'Succeeded'));
  await run(server, { exceptions: () => [program as ExceptionProgram] });
  expect(server.deleted).toMatchObject([{ name: 'old' }]);
});

it('spared objects, and those outside the namespace of the policy, are kept though they match', async () => {
  const spared = new FakeServer(pod('a', 'Succeeded'));
  await run(spared, { isSpared: (_, { namespace }) => namespace === 'shop' });
  expect(spared.deleted).toEqual([]);
  // As if the server had answered more than was asked for.
  const other = new FakeServer(pod('a', 'Succeeded', { namespace: 'other' }), pod('b', 'Succeeded'));
  await run(other, { policy: namespacedPolicy('shop') });
  expect(other.listed).toEqual([{ namespace: 'shop' }]);
  expect(other.deleted).toMatchObject([{ name: 'b' }]);
});

it('labels of namespaces are asked of the server, once for a page', async () => {
  const policy = deletingPolicy({
    matchConstraints: {
      namespaceSelector: { matchLabels: { tidy: 'yes' } },
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    },
  });
  const asked: string[] = [];
  const namespaceLabels = async (name: string): Promise<Readonly<Record<string, string>>> => {
    asked.push(name);
    return name === 'shop' ? { tidy: 'yes' } : {};
  };
  const server = new FakeServer(
    pod('a', 'Succeeded'),
    pod('b', 'Succeeded'),
    pod('c', 'Succeeded', { namespace: 'other' }),
  );
  await run(server, { policy, namespaceLabels });
  expect(server.deleted).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  expect(asked.sort()).toEqual(['other', 'shop']);
});

it('a run deletes no more than its limit', async () => {
  const server = new FakeServer(...Array.from({ length: 30 }, (_, i) => pod(`p${i}`, 'Succeeded')));
  expect(await run(server, { maxDeletions: 7 })).toMatchObject({ deleted: 7, isCutShort: true });
  expect(server.deleted).toHaveLength(7);
});

it('a policy that is no longer the same deletes nothing more', async () => {
  const server = new FakeServer(...Array.from({ length: 30 }, (_, i) => pod(`p${i}`, 'Succeeded')));
  await run(server, { isCurrent: () => server.deleted.length < 3 });
  expect(server.deleted.length).toBeLessThan(8);
});

it('a missing permission is told by verb and resource, and does not delete on', async () => {
  const server = new FakeServer(...Array.from({ length: 60 }, (_, i) => pod(`p${i}`, 'Succeeded')));
  server.onDelete = () => {
    throw refused('kube-forbidden', { details: { kind: 'pods' } });
  };
  const { forbidden, failures, deleted } = await run(server);
  expect({ forbidden, deleted }).toEqual({ forbidden: ['delete pods'], deleted: 0 });
  expect(failures.length).toBeLessThan(30);
});

it('a webhook that refuses one object is no missing permission, and keeps no others', async () => {
  const server = new FakeServer(pod('a', 'Succeeded'), pod('b', 'Succeeded'));
  server.onDelete = (name) => {
    if (name === 'a') throw refused('kube-forbidden');
  };
  expect(await run(server)).toMatchObject({ deleted: 1, forbidden: [], problems: [expect.stringContaining('shop/a')] });
});

it('a list that fails deletes nothing, and may be tried again where the server was away', async () => {
  const failing = (error: Error) => {
    const server = new FakeServer(pod('a', 'Succeeded'));
    const pages = () =>
      (async function* () {
        yield* [];
        throw error;
      })();
    return run(server, { client: { ...server.client, pages } as never });
  };
  expect(await failing(refused('kube-unavailable', { retry: 'backoff' }))).toMatchObject({
    mayRetry: true,
    deleted: 0,
  });
  expect(await failing(refused('kube-forbidden', { details: { kind: 'pods' } }))).toMatchObject({
    mayRetry: false,
    forbidden: ['list pods'],
  });
});

it('a run that takes too long is stopped, and says so', async () => {
  const clock = new ManualClock();
  const server = new FakeServer(pod('a', 'Succeeded'));
  const pages = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
    (async function* () {
      yield* [];
      clock.advance(60_000);
      signal.throwIfAborted();
    })();
  const outcome = await run(server, { clock, client: { ...server.client, pages } as never });
  expect(outcome.problems).toEqual([expect.stringContaining('stopped after 60 s (cleanup.timeout)')]);
});
