import { afterEach, describe, expect, test } from 'vitest';
import { job, type SimulationHarness, startHarness } from './harness.testing.ts';
import { coreEvents, cronJobs, jobs, pods } from './kinds.ts';

let harness: SimulationHarness;
afterEach(() => harness.end());

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}
type JobStatus = {
  conditions?: Condition[];
  active?: number;
  succeeded?: number;
  failed?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
};
const status = (name: string) => (harness.get(jobs, name)?.['status'] ?? {}) as JobStatus;
const types = (name: string) => (status(name).conditions ?? []).map((one) => `${one.type}=${one.status}`);
const isOver = (name: string) => () => types(name).some((type) => type === 'Complete=True' || type === 'Failed=True');

describe('Jobs', () => {
  test('a Job runs one pod for its time and completes, with the conditions of today', async () => {
    harness = await startHarness({ jobDurationMs: 1000 });
    await harness.create(jobs, job('copy'));
    await harness.until(() => harness.table(pods).includes('Running'));
    expect(status('copy')).toMatchObject({ active: 1, startTime: '2026-03-01T12:00:00Z' });
    await harness.until(isOver('copy'));
    expect(harness.table(jobs)).toMatchInlineSnapshot(`
      "
      NAME  STATUS  COMPLETIONS  DURATION
      copy  Complete  1/1  1s
      "
    `);
    expect(harness.table(pods)).toMatchInlineSnapshot(`
      "
      NAME  READY  STATUS  RESTARTS
      copy-00009  0/1  Completed  0
      "
    `);
    expect(types('copy')).toEqual(['SuccessCriteriaMet=True', 'Complete=True']);
    expect(status('copy')).toMatchObject({ succeeded: 1, completionTime: '2026-03-01T12:00:01Z', ready: 0 });
    expect(status('copy').conditions?.[1]?.reason).toBe('CompletionsReached');
    const pod = harness.client.list(pods)[0];
    expect(pod?.metadata.labels).toMatchObject({ 'job-name': 'copy', 'batch.kubernetes.io/job-name': 'copy' });
    await harness.until(() => harness.client.list(coreEvents).some((event) => event['reason'] === 'Completed'));
  });

  test('an annotation on the pod decides how long it runs', async () => {
    harness = await startHarness();
    await harness.create(jobs, job('slow', {}, {}, { 'supercargo.dev/simulate-duration': '5s' }));
    await harness.pass(4500);
    expect(isOver('slow')()).toBe(false);
    await harness.until(isOver('slow'), 2000);
  });

  test.each([
    ['an annotation', {}, { 'supercargo.dev/simulate': 'fail' }],
    ['the command false', { containers: [{ name: 'app', image: 'busybox', command: ['false'] }] }, {}],
    [
      'a script that exits',
      { containers: [{ name: 'app', image: 'busybox', command: ['sh', '-c', 'echo hi; exit 1'] }] },
      {},
    ],
  ])('%s makes a Job fail once its backoff limit is reached', async (_, pod, annotations) => {
    harness = await startHarness();
    await harness.create(jobs, job('bad', { backoffLimit: 2 }, pod, annotations as Record<string, string>));
    await harness.until(isOver('bad'));
    expect(types('bad')).toEqual(['FailureTarget=True', 'Failed=True']);
    expect(status('bad')).toMatchObject({ failed: 3 });
    expect(status('bad').conditions?.[1]?.reason).toBe('BackoffLimitExceeded');
    expect(harness.names(pods)).toHaveLength(3);
  });

  test('a failing container that may restart waits in CrashLoopBackOff', async () => {
    harness = await startHarness();
    const pod = { restartPolicy: 'OnFailure', containers: [{ name: 'app', image: 'busybox', command: ['false'] }] };
    await harness.create(jobs, job('loop', { backoffLimit: 1 }, pod));
    await harness.until(() => harness.table(pods).includes('CrashLoopBackOff'));
    await harness.until(isOver('loop'), 600_000);
    expect(types('loop')).toContain('Failed=True');
  });

  test('completions are reached with no more pods at once than the parallelism allows', async () => {
    harness = await startHarness();
    let most = 0;
    await harness.create(jobs, job('many', { parallelism: 2, completions: 5 }));
    harness.client.watch(jobs, ({ object }) => {
      most = Math.max(most, (object['status'] as JobStatus | undefined)?.active ?? 0);
    });
    await harness.until(isOver('many'));
    expect(most).toBe(2);
    expect(status('many').succeeded).toBe(5);
    expect(harness.names(pods)).toHaveLength(5);
  });

  test('an Indexed Job gives every pod its number once', async () => {
    harness = await startHarness();
    await harness.create(jobs, job('numbered', { parallelism: 2, completions: 3, completionMode: 'Indexed' }));
    await harness.until(isOver('numbered'));
    const numbers = harness.client
      .list(pods)
      .map((pod) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index']);
    expect(numbers.sort()).toEqual(['0', '1', '2']);
    expect(status('numbered').completedIndexes).toBe('0-2');
  });

  test('a suspended Job has no pods, and starts when it is resumed', async () => {
    harness = await startHarness();
    await harness.create(jobs, job('later', { suspend: true }));
    await harness.until(() => types('later').includes('Suspended=True'));
    expect(harness.names(pods)).toEqual([]);
    await harness.edit(jobs, 'later', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), suspend: false },
    }));
    await harness.until(isOver('later'));
    expect(types('later')).toEqual(['Suspended=False', 'SuccessCriteriaMet=True', 'Complete=True']);
  });

  test('a Job that takes too long fails at its deadline', async () => {
    harness = await startHarness();
    const spec = { activeDeadlineSeconds: 3 };
    await harness.create(jobs, job('late', spec, {}, { 'supercargo.dev/simulate-duration': '1h' }));
    await harness.until(isOver('late'));
    expect(status('late').conditions?.[1]).toMatchObject({ type: 'Failed', reason: 'DeadlineExceeded' });
    await harness.until(() => harness.names(pods).length === 0);
  });

  test('a finished Job goes away when its time to live has passed', async () => {
    harness = await startHarness();
    await harness.create(jobs, job('brief', { ttlSecondsAfterFinished: 5 }));
    await harness.until(isOver('brief'));
    await harness.pass(4000);
    expect(harness.names(jobs)).toEqual(['brief']);
    await harness.until(() => harness.names(jobs).length === 0 && harness.names(pods).length === 0, 5000);
  });

  test('a Job completes once also when every other write meets a conflict', async () => {
    harness = await startHarness();
    harness.client.conflictEvery = 2;
    await harness.create(jobs, job('contested', { parallelism: 3, completions: 6 }));
    await harness.until(isOver('contested'));
    expect(harness.names(pods)).toHaveLength(6);
    expect(status('contested').succeeded).toBe(6);
  });
});

describe('CronJobs', () => {
  const cronJob = (spec: object = {}, annotations: Record<string, string> = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: job('x', {}, {}, annotations).spec }, ...spec },
  });

  test('start a Job at each time, named for its minute, and keep the last three', async () => {
    harness = await startHarness();
    await harness.create(cronJobs, cronJob());
    await harness.pass(4 * 60_000);
    expect(harness.names(jobs)).toEqual([]);
    await harness.until(() => harness.names(jobs).length === 1, 61_000);
    expect(harness.names(jobs)[0]).toBe(`tick-${Date.parse('2026-03-01T12:05:00Z') / 60_000}`);
    expect(harness.get(cronJobs, 'tick')).toMatchObject({
      status: { lastScheduleTime: '2026-03-01T12:05:00Z', active: [{ kind: 'Job' }] },
    });
    await harness.clock.advance(22 * 60_000);
    await harness.until(() => harness.names(jobs).length === 3);
    expect(harness.table(cronJobs)).toMatchInlineSnapshot(`
      "
      NAME  SCHEDULE  TIMEZONE  SUSPEND  ACTIVE  LAST SCHEDULE
      tick  */5 * * * *  <none>  <unset>  0  2m
      "
    `);
    const reasons = new Set(harness.client.list(coreEvents).map((event) => event['reason']));
    expect(reasons).toContain('SawCompletedJob');
  });

  test.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ])('%s: of Jobs that outlast the interval %d run', async (concurrencyPolicy, running) => {
    harness = await startHarness();
    const spec = { schedule: '* * * * *', concurrencyPolicy };
    await harness.create(cronJobs, cronJob(spec, { 'supercargo.dev/simulate-duration': '10h' }));
    await harness.clock.advance(3 * 60_000);
    await harness.pass(1000);
    expect(harness.names(jobs)).toHaveLength(running);
    const name = concurrencyPolicy === 'Forbid' ? '12:01' : '12:03';
    expect(harness.names(jobs)).toContain(`tick-${Date.parse(`2026-03-01T${name}:00Z`) / 60_000}`);
  });

  test('the time zone counts, and a suspended one starts nothing', async () => {
    harness = await startHarness();
    await harness.create(cronJobs, cronJob({ schedule: '30 14 * * *', timeZone: 'Europe/Rome' }));
    await harness.create(cronJobs, { ...cronJob({ suspend: true }), metadata: { name: 'asleep' } });
    await harness.clock.advance(90 * 60_000);
    await harness.pass(100);
    expect(harness.names(jobs)).toEqual([`tick-${Date.parse('2026-03-01T13:30:00Z') / 60_000}`]);
  });
});
