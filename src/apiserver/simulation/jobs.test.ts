import { afterEach, describe, expect, test } from 'vitest';
import { coreEvents, cronJobs, jobs, pods } from './kinds.ts';
import { beginStory, job, type Story } from './story.testing.ts';

let story: Story;
afterEach(() => story.end());

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
const status = (name: string) => (story.get(jobs, name)?.['status'] ?? {}) as JobStatus;
const types = (name: string) => (status(name).conditions ?? []).map((one) => `${one.type}=${one.status}`);
const isOver = (name: string) => () => types(name).some((type) => type === 'Complete=True' || type === 'Failed=True');

describe('Jobs', () => {
  test('a Job runs one pod for its time and completes, with the conditions of today', async () => {
    story = await beginStory({ jobDurationMs: 1000 });
    await story.create(jobs, job('copy'));
    await story.until(() => story.table(pods).includes('Running'));
    expect(status('copy')).toMatchObject({ active: 1, startTime: '2026-03-01T12:00:00Z' });
    await story.until(isOver('copy'));
    expect(story.table(jobs)).toMatchInlineSnapshot(`
      "
      NAME  STATUS  COMPLETIONS  DURATION
      copy  Complete  1/1  1s
      "
    `);
    expect(story.table(pods)).toMatchInlineSnapshot(`
      "
      NAME  READY  STATUS  RESTARTS
      copy-00009  0/1  Completed  0
      "
    `);
    expect(types('copy')).toEqual(['SuccessCriteriaMet=True', 'Complete=True']);
    expect(status('copy')).toMatchObject({ succeeded: 1, completionTime: '2026-03-01T12:00:01Z', ready: 0 });
    expect(status('copy').conditions?.[1]?.reason).toBe('CompletionsReached');
    const pod = story.client.list(pods)[0];
    expect(pod?.metadata.labels).toMatchObject({ 'job-name': 'copy', 'batch.kubernetes.io/job-name': 'copy' });
    await story.until(() => story.client.list(coreEvents).some((event) => event['reason'] === 'Completed'));
  });

  test('an annotation on the pod decides how long it runs', async () => {
    story = await beginStory();
    await story.create(jobs, job('slow', {}, {}, { 'supercargo.dev/simulate-duration': '5s' }));
    await story.pass(4500);
    expect(isOver('slow')()).toBe(false);
    await story.until(isOver('slow'), 2000);
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
    story = await beginStory();
    await story.create(jobs, job('bad', { backoffLimit: 2 }, pod, annotations as Record<string, string>));
    await story.until(isOver('bad'));
    expect(types('bad')).toEqual(['FailureTarget=True', 'Failed=True']);
    expect(status('bad')).toMatchObject({ failed: 3 });
    expect(status('bad').conditions?.[1]?.reason).toBe('BackoffLimitExceeded');
    expect(story.names(pods)).toHaveLength(3);
  });

  test('a failing container that may restart waits in CrashLoopBackOff', async () => {
    story = await beginStory();
    const pod = { restartPolicy: 'OnFailure', containers: [{ name: 'app', image: 'busybox', command: ['false'] }] };
    await story.create(jobs, job('loop', { backoffLimit: 1 }, pod));
    await story.until(() => story.table(pods).includes('CrashLoopBackOff'));
    await story.until(isOver('loop'), 600_000);
    expect(types('loop')).toContain('Failed=True');
  });

  test('completions are reached with no more pods at once than the parallelism allows', async () => {
    story = await beginStory();
    let most = 0;
    await story.create(jobs, job('many', { parallelism: 2, completions: 5 }));
    story.client.watch(jobs, ({ object }) => {
      most = Math.max(most, (object['status'] as JobStatus | undefined)?.active ?? 0);
    });
    await story.until(isOver('many'));
    expect(most).toBe(2);
    expect(status('many').succeeded).toBe(5);
    expect(story.names(pods)).toHaveLength(5);
  });

  test('an Indexed Job gives every pod its number once', async () => {
    story = await beginStory();
    await story.create(jobs, job('numbered', { parallelism: 2, completions: 3, completionMode: 'Indexed' }));
    await story.until(isOver('numbered'));
    const numbers = story.client
      .list(pods)
      .map((pod) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index']);
    expect(numbers.sort()).toEqual(['0', '1', '2']);
    expect(status('numbered').completedIndexes).toBe('0-2');
  });

  test('a suspended Job has no pods, and starts when it is resumed', async () => {
    story = await beginStory();
    await story.create(jobs, job('later', { suspend: true }));
    await story.until(() => types('later').includes('Suspended=True'));
    expect(story.names(pods)).toEqual([]);
    await story.edit(jobs, 'later', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), suspend: false },
    }));
    await story.until(isOver('later'));
    expect(types('later')).toEqual(['Suspended=False', 'SuccessCriteriaMet=True', 'Complete=True']);
  });

  test('a Job that takes too long fails at its deadline', async () => {
    story = await beginStory();
    const spec = { activeDeadlineSeconds: 3 };
    await story.create(jobs, job('late', spec, {}, { 'supercargo.dev/simulate-duration': '1h' }));
    await story.until(isOver('late'));
    expect(status('late').conditions?.[1]).toMatchObject({ type: 'Failed', reason: 'DeadlineExceeded' });
    await story.until(() => story.names(pods).length === 0);
  });

  test('a finished Job goes away when its time to live has passed', async () => {
    story = await beginStory();
    await story.create(jobs, job('brief', { ttlSecondsAfterFinished: 5 }));
    await story.until(isOver('brief'));
    await story.pass(4000);
    expect(story.names(jobs)).toEqual(['brief']);
    await story.until(() => story.names(jobs).length === 0 && story.names(pods).length === 0, 5000);
  });

  test('a Job completes once also when every other write meets a conflict', async () => {
    story = await beginStory();
    story.client.conflictEvery = 2;
    await story.create(jobs, job('contested', { parallelism: 3, completions: 6 }));
    await story.until(isOver('contested'));
    expect(story.names(pods)).toHaveLength(6);
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
    story = await beginStory();
    await story.create(cronJobs, cronJob());
    await story.pass(4 * 60_000);
    expect(story.names(jobs)).toEqual([]);
    await story.until(() => story.names(jobs).length === 1, 61_000);
    expect(story.names(jobs)[0]).toBe(`tick-${Date.parse('2026-03-01T12:05:00Z') / 60_000}`);
    expect(story.get(cronJobs, 'tick')).toMatchObject({
      status: { lastScheduleTime: '2026-03-01T12:05:00Z', active: [{ kind: 'Job' }] },
    });
    await story.clock.advance(22 * 60_000);
    await story.until(() => story.names(jobs).length === 3);
    expect(story.table(cronJobs)).toMatchInlineSnapshot(`
      "
      NAME  SCHEDULE  TIMEZONE  SUSPEND  ACTIVE  LAST SCHEDULE
      tick  */5 * * * *  <none>  <unset>  0  2m
      "
    `);
    const told = new Set(story.client.list(coreEvents).map((event) => event['reason']));
    expect(told).toContain('SawCompletedJob');
  });

  test.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ])('%s: of Jobs that outlast the interval %d run', async (concurrencyPolicy, running) => {
    story = await beginStory();
    const spec = { schedule: '* * * * *', concurrencyPolicy };
    await story.create(cronJobs, cronJob(spec, { 'supercargo.dev/simulate-duration': '10h' }));
    await story.clock.advance(3 * 60_000);
    await story.pass(1000);
    expect(story.names(jobs)).toHaveLength(running);
    const name = concurrencyPolicy === 'Forbid' ? '12:01' : '12:03';
    expect(story.names(jobs)).toContain(`tick-${Date.parse(`2026-03-01T${name}:00Z`) / 60_000}`);
  });

  test('the time zone counts, and a suspended one starts nothing', async () => {
    story = await beginStory();
    await story.create(cronJobs, cronJob({ schedule: '30 14 * * *', timeZone: 'Europe/Rome' }));
    await story.create(cronJobs, { ...cronJob({ suspend: true }), metadata: { name: 'asleep' } });
    await story.clock.advance(90 * 60_000);
    await story.pass(100);
    expect(story.names(jobs)).toEqual([`tick-${Date.parse('2026-03-01T13:30:00Z') / 60_000}`]);
  });
});
