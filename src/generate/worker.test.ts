import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { silentLogger } from '../base/index.ts';
import { ManualClock } from '../kube/testing/manual-clock.ts';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy } from '../policy/index.ts';
import type { DownstreamIndex } from './downstream-index.ts';
import type { DownstreamWriter } from './downstream-writer.ts';
import { FailedTriggers } from './failed-triggers.ts';
import { GenerateRecorder } from './generate-recorder.ts';
import { type Origin, triggerIdentityOf } from './origin.ts';
import { createRuleTable } from './rule-table.ts';
import { createRuleRunner } from './run-rules.ts';
import { discoveredPods, pods } from './testing/history.ts';
import { Worker } from './worker.ts';

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop', uid: 'uid-a' } };

/** A policy whose rules each create a ConfigMap. */
function tableWith(...names: string[]) {
  const { program } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p', uid: 'uid-p' },
    spec: {
      rules: names.map((name) => ({
        name,
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        generate: { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'shop', data: { data: {} } },
      })),
    },
  });
  return createRuleTable([program!], [discoveredPods]);
}

/** A worker on a fake server that refuses the writes of the rules in `refused`. */
class WorkerHarness {
  readonly transcript: string[] = [];
  /** The condition messages of the policy, in order. */
  readonly problems: (string | undefined)[] = [];
  readonly refused = new Set<string>();
  readonly failures = new FailedTriggers([]);
  readonly worker: Worker;
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private table: ReturnType<typeof tableWith>) {
    const clock = new ManualClock();
    const log = silentLogger;
    const events = { record: () => {}, dropped: 0, run: async () => {} };
    const unused = () => Promise.reject(new Error('not used by this test'));
    this.worker = new Worker({
      queueMetrics: unreadMetrics().forQueue('generate'),
      client: { get: async () => pod as never },
      discovery: { byKind: unused },
      policies: { get: () => undefined } as never,
      table: () => this.table,
      index: { ofTrigger: () => [] } as unknown as DownstreamIndex,
      writer: { ensure: (_: KubeObject, origin: Origin) => this.ensure(origin) } as unknown as DownstreamWriter,
      runRules: createRuleRunner({
        discovery: { byKind: async () => undefined },
        clock,
        lookUps: { answer: unused },
        namespaces: { hasSynced: true, labels: () => ({}), fetchLabels: async () => ({}) },
        exceptions: () => [],
      }),
      failures: this.failures,
      recorder: new GenerateRecorder({
        events,
        metrics: new Registry(),
        log,
        onProblem: (_, problem) => this.problems.push(problem?.message),
      }),
      clock,
      followSource: () => {},
      onFailures: () => {},
    });
  }

  start(): void {
    this.running = this.worker.run(this.stop.signal);
  }

  /** Triggers the policy with the pod. */
  trigger(rules = this.table.policies.get('p')!.watchedNames): void {
    const identity = triggerIdentityOf(pod);
    const context = { operation: 'CREATE', object: pod } as const;
    this.worker.trigger({ policy: 'p', type: pods, identity, context, rules, done: () => {} });
  }

  /** A request from the outbox, for the rules that need one. */
  admit(): void {
    const info = { userInfo: { username: 'jane', groups: [] }, roles: [], clusterRoles: [] };
    const context = { operation: 'CREATE', object: pod, info } as const;
    const identity = triggerIdentityOf(pod);
    this.worker.trigger({ policy: 'p', type: pods, identity, context, done: () => {}, onFailed: () => {} });
  }

  change(...names: string[]): void {
    this.transcript.push(`change to ${names.join(', ')}`);
    this.table = tableWith(...names);
    this.worker.retryNow('p');
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async ensure({ rule }: Origin): Promise<'created'> {
    if (this.refused.has(rule)) {
      this.transcript.push(`${rule} refused`);
      throw new Error('refused');
    }
    this.transcript.push(rule);
    return 'created';
  }
}

describe('a waiting trigger', () => {
  let harness: WorkerHarness;
  afterEach(() => harness.end());

  it('does not run rules that were added after it', async () => {
    harness = new WorkerHarness(tableWith('kept', 'renamed'));
    harness.trigger();
    harness.change('kept', 'new name');
    harness.start();
    await harness.settle();
    expect(harness.transcript).toEqual(['change to kept, new name', 'kept']);
  });

  it('is retried with the rules that failed, in their current form, and no others', async () => {
    harness = new WorkerHarness(tableWith('good', 'bad', 'worse'));
    harness.start();
    harness.refused.add('bad').add('worse');
    harness.trigger();
    await harness.settle();
    harness.refused.delete('bad');
    harness.change('good', 'bad', 'worse', 'new');
    await harness.settle();
    expect(harness.failures.list().map(({ rules }) => rules)).toEqual([['worse']]);
    harness.change('good', 'bad', 'new');
    await harness.settle();
    expect(harness.transcript).toEqual([
      'good',
      'bad refused',
      'worse refused',
      'change to good, bad, worse, new',
      'bad',
      'worse refused',
      'change to good, bad, new',
    ]);
    expect(harness.failures.size).toBe(0);
  });

  it('stays failed for one rule when another rule, or a request, succeeds for the same object', async () => {
    harness = new WorkerHarness(tableWith('good', 'bad'));
    harness.start();
    harness.refused.add('bad');
    harness.trigger(new Set(['bad']));
    await harness.settle();
    harness.trigger(new Set(['good']));
    harness.admit();
    await harness.settle();
    expect(harness.transcript).toEqual(['bad refused', 'good']);
    expect(harness.failures.list()).toMatchObject([{ rules: ['bad'], error: 'refused' }]);
    expect(harness.problems).toEqual(['refused']);
    harness.refused.clear();
    harness.trigger(new Set(['bad']));
    await harness.settle();
    expect(harness.problems).toEqual(['refused', undefined]);
  });
});
