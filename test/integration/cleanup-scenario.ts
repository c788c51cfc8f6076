import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { type Logger, silentLogger } from '../../src/base/index.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { installKinds, type RunningFeatures, type RunOptions, runFeatures } from './run-features.ts';

const group = '/apis/policies.kyverno.io/v1';
const clusterPolicies = `${group}/deletingpolicies`;
const policiesOf = (namespace: string) => `${group}/namespaces/${namespace}/namespaceddeletingpolicies`;
const mapsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

interface Status {
  readonly lastExecutionTime?: string;
  readonly nextExecutionTime?: string;
  readonly conditionStatus?: {
    readonly ready: boolean;
    readonly message: string;
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

const apiVersion = 'policies.kyverno.io/v1';
const policy = (name: string, namespace: string, spec: object = {}, kind = 'DeletingPolicy') => ({
  apiVersion,
  kind,
  metadata: { name },
  spec: {
    schedule: '@every 1s',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    },
    conditions: [
      { name: 'here', expression: `object.metadata.namespace == '${namespace}'` },
      { name: 'old', expression: "object.?data.state.orValue('') == 'old'" },
    ],
    ...spec,
  },
});

/** Deleting policies in a cluster whose API server does what they ask for. */
export function defineCleanupScenario(start: () => Promise<Cluster>): void {
  let cluster: Cluster | undefined;
  let client: HttpClient;
  let running: RunningFeatures | undefined;
  beforeAll(async () => {
    cluster = await start();
    client = createHttpClient(cluster);
    const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    await connection.client.close();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await client.delete(clusterPolicies);
  });
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  const run = async (
    config: RunOptions['config'] = {},
    features: Parameters<typeof runFeatures>[1] = ['cleanup'],
    log: Logger = silentLogger,
  ) => {
    running = await runFeatures(cluster!, features, { config, log });
  };
  const created = async (path: string, object: object) => {
    const { status, text } = await client.post(path, object);
    expect(status, text).toBe(201);
  };
  const inNamespace = async (namespace: string, maps: Readonly<Record<string, string>>) => {
    await created('/api/v1/namespaces', { metadata: { name: namespace } });
    for (const [name, state] of Object.entries(maps))
      await created(mapsOf(namespace), { metadata: { name }, data: { state } });
  };
  const mapsIn = async (namespace: string) =>
    (await client.get(mapsOf(namespace))).body.items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-root-ca.crt');
  const statusAt = async (path: string) => ((await client.get(path)).body['status'] ?? {}) as Status;
  const conditionAt = async (path: string, wanted: string) =>
    (await statusAt(path)).conditionStatus?.conditions.find(({ type }) => type === wanted);

  describe('a DeletingPolicy', () => {
    it('deletes what its conditions hold for when it is due, and says when', async () => {
      await inNamespace('due', { a: 'old', b: 'new', c: 'old' });
      await inNamespace('not-due', { a: 'old' });
      await run();
      await created(clusterPolicies, policy('due', 'due'));
      await eventually(async () => expect(await mapsIn('due')).toEqual(['b']));
      expect(await mapsIn('not-due')).toEqual(['a']);
      const at = `${clusterPolicies}/due`;
      await eventually(async () => expect((await statusAt(at)).lastExecutionTime).toBeDefined());
      const { lastExecutionTime, nextExecutionTime, conditionStatus } = await statusAt(at);
      expect(Date.parse(nextExecutionTime ?? '')).toBeGreaterThan(Date.parse(lastExecutionTime ?? ''));
      expect(conditionStatus).toMatchObject({ ready: true, message: '' });
      await eventually(async () => {
        const { body } = await client.get('/api/v1/namespaces/default/events');
        const messages = body.items.map((event) => event.message);
        expect(messages).toEqual(expect.arrayContaining(['deleted ConfigMap due/a', 'deleted ConfigMap due/c']));
      });
    });

    it('waits for its time, and has no say in what else becomes of the object', async () => {
      await inNamespace('waits', { a: 'old' });
      await run();
      await created(clusterPolicies, policy('waits', 'waits', { schedule: '0 0 1 1 *' }));
      const at = `${clusterPolicies}/waits`;
      await eventually(async () =>
        expect(await conditionAt(at, 'Ready')).toMatchObject({ status: 'True', reason: 'Scheduled' }),
      );
      expect((await statusAt(at)).nextExecutionTime).toMatch(/-01-01T00:00:00Z$/);
      expect(await mapsIn('waits')).toEqual(['a']);
      await client.patch(at, { spec: { schedule: '@every 1s' } }, 'merge');
      await eventually(async () => expect(await mapsIn('waits')).toEqual([]));
    });

    it('runs after a stop: of the runs that were missed, one is made up for', async () => {
      await inNamespace('missed', { a: 'old' });
      await created(clusterPolicies, policy('missed', 'missed', { schedule: '* * * * *' }));
      const at = `${clusterPolicies}/missed`;
      const lastExecutionTime = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
      expect((await client.patch(`${at}/status`, { status: { lastExecutionTime } }, 'merge')).status).toBe(200);
      await run();
      await eventually(async () => expect(await mapsIn('missed')).toEqual([]));
      await eventually(async () => expect((await statusAt(at)).lastExecutionTime).not.toBe(lastExecutionTime));
    });

    it('spares what an exception names', async () => {
      await inNamespace('excepted', { kept: 'old', gone: 'old' });
      await created(`${group}/namespaces/excepted/policyexceptions`, {
        apiVersion,
        kind: 'PolicyException',
        metadata: { name: 'kept' },
        spec: {
          policyRefs: [{ name: 'excepted', kind: 'DeletingPolicy' }],
          matchConditions: [{ name: 'kept', expression: "object.metadata.name == 'kept'" }],
        },
      });
      await run({ policies: { exceptionNamespaces: ['excepted'] } });
      await created(clusterPolicies, policy('excepted', 'excepted'));
      await eventually(async () => expect(await mapsIn('excepted')).toEqual(['kept']));
      const { lastExecutionTime } = await statusAt(`${clusterPolicies}/excepted`);
      await eventually(async () =>
        expect((await statusAt(`${clusterPolicies}/excepted`)).lastExecutionTime).not.toBe(lastExecutionTime),
      );
      expect(await mapsIn('excepted')).toEqual(['kept']);
    });

    it('spares the namespace of the program, and what resource filters exclude', async () => {
      await inNamespace('own', { a: 'old' });
      await inNamespace('filtered', { a: 'old' });
      await inNamespace('other', { a: 'old' });
      await run({ namespace: 'own', admission: { resourceFilters: ['[*/*,filtered,*]'] } });
      const conditions = [{ name: 'old', expression: "object.?data.state.orValue('') == 'old'" }];
      await created(clusterPolicies, policy('spares', '', { conditions }));
      await eventually(async () => expect(await mapsIn('other')).toEqual([]));
      await eventually(async () =>
        expect(await conditionAt(`${clusterPolicies}/spares`, 'LastRunSucceeded')).toBeDefined(),
      );
      expect([...(await mapsIn('own')), ...(await mapsIn('filtered'))]).toEqual(['a', 'a']);
    });

    it('deletes no more in one run than allowed, and goes on in the next', async () => {
      const names = Array.from({ length: 12 }, (_, i) => [`m${i}`, 'old']);
      await inNamespace('limited', Object.fromEntries(names));
      const deleted: unknown[] = [];
      const log: Logger = {
        ...silentLogger,
        info: (message, fields) => void (message === 'deleting policy ran' && deleted.push(fields?.['deleted'])),
        child: () => log,
      };
      await run({ cleanup: { maxDeletions: 5 } }, ['cleanup'], log);
      await created(clusterPolicies, policy('limited', 'limited'));
      await eventually(() => expect(deleted.slice(0, 3)).toEqual([5, 5, 2]));
      expect(await mapsIn('limited')).toEqual([]);
    });

    it('that cannot run says so, and at its admission it is refused', async () => {
      const wrong = policy('wrong', 'x', { schedule: 'soon' });
      await run();
      await created(clusterPolicies, wrong);
      await eventually(async () => {
        const { conditionStatus } = await statusAt(`${clusterPolicies}/wrong`);
        expect(conditionStatus).toMatchObject({
          ready: false,
          message: expect.stringContaining('spec.schedule: must have five fields'),
        });
      });
      await running?.stop();
      await run({}, ['cleanup', 'admission']);
      const { status, body } = await client.post(clusterPolicies, { ...wrong, metadata: { name: 'wrong-too' } });
      expect([status, body.message]).toEqual([400, expect.stringContaining('spec.schedule: must have five fields')]);
    });
  });

  describe('a NamespacedDeletingPolicy', () => {
    const wide = {
      conditions: [{ name: 'old', expression: "object.?data.state.orValue('') == 'old'" }],
    };

    it('deletes in its own namespace only, and only what the administrator allows', async () => {
      await inNamespace('team', { a: 'old', b: 'new' });
      await inNamespace('neighbour', { a: 'old' });
      const at = `${policiesOf('team')}/team`;
      await run();
      await created(policiesOf('team'), policy('team', 'team', wide, 'NamespacedDeletingPolicy'));
      await eventually(async () =>
        expect(await conditionAt(at, 'LastRunSucceeded')).toMatchObject({
          status: 'False',
          message: expect.stringContaining('may not delete configmaps; an administrator allows it with cleanup.'),
        }),
      );
      expect(await mapsIn('team')).toEqual(['a', 'b']);
      await running?.stop();
      await run({ cleanup: { namespacedResources: ['configmaps'] } });
      await eventually(async () => expect(await mapsIn('team')).toEqual(['b']));
      expect(await mapsIn('neighbour')).toEqual(['a']);
      await client.delete(at);
    });

    it('deletes nothing that is in no namespace, though all is allowed', async () => {
      await inNamespace('greedy', {});
      await inNamespace('prey', {});
      await run({ cleanup: { namespacedResources: ['*'] } });
      const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['namespaces'] }];
      const all = { matchConstraints: { resourceRules }, conditions: [] };
      await created(policiesOf('greedy'), policy('greedy', 'x', all, 'NamespacedDeletingPolicy'));
      await eventually(async () =>
        expect(await conditionAt(`${policiesOf('greedy')}/greedy`, 'LastRunSucceeded')).toMatchObject({
          message: expect.stringContaining('namespaces are cluster-scoped'),
        }),
      );
      const { status, body } = await client.get('/api/v1/namespaces/prey');
      expect([status, body.metadata.deletionTimestamp]).toEqual([200, undefined]);
      await client.delete(`${policiesOf('greedy')}/greedy`);
    });
  });
}
