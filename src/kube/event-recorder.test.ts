import { describe, expect, it } from 'vitest';
import { createLogger } from '../base/index.ts';
import { createKubeClient } from './client.ts';
import { defaultCorrelationLimits, EventCorrelator } from './event-correlation.ts';
import { createEventRecorder, type EventRecorderOptions } from './event-recorder.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { type Respond, type SeenRequest, sendJson, sendStatus, startServer, until } from './testing/server.ts';

const subject = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u1' };
const event = { type: 'Warning', reason: 'Failed', message: 'it broke' } as const;

const accept: Respond = (request, response) => {
  const body = JSON.parse(request.body);
  sendJson(response, { apiVersion: 'v1', kind: 'Event', metadata: {}, ...body }, request.method === 'POST' ? 201 : 200);
};

async function setUp(respond: Respond = accept, options: Partial<EventRecorderOptions> = {}) {
  const server = await startServer(respond);
  const client = createKubeClient(server.config);
  const clock = new ManualClock();
  let made = 0;
  const recorder = createEventRecorder({
    client,
    component: 'supercargo',
    instance: 'pod-1',
    clock,
    uniqueSuffix: () => `n${++made}`,
    ...options,
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  return {
    server,
    clock,
    recorder,
    stop,
    running,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const line = ({ method, path, body }: SeenRequest) => `${method} ${path} ${JSON.parse(body).count}`;

describe('event recorder', () => {
  it('creates an event, then counts equal ones on it', async () => {
    await using t = await setUp();
    t.recorder.record(subject, event);
    t.recorder.record(subject, event);
    t.recorder.record(subject, { ...event, message: 'otherwise' });
    await until(() => t.server.requests.length === 3, 'three writes');
    const path = '/api/v1/namespaces/shop/events';
    expect(t.server.requests.map(line)).toEqual([`POST ${path} 1`, `PATCH ${path}/web.n1 2`, `POST ${path} 1`]);
    expect(JSON.parse(t.server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'shop', name: 'web.n1' },
      involvedObject: subject,
      reason: 'Failed',
      message: 'it broke',
      type: 'Warning',
      source: { component: 'supercargo', host: 'pod-1' },
      reportingComponent: 'supercargo',
      reportingInstance: 'pod-1',
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      count: 1,
    });
  });

  it('does not log failures in a terminating namespace, and logs other failures of one kind once a minute', async () => {
    const logs: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (text: string) => logs.push(text) } });
    const terminating = { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] };
    await using t = await setUp(
      (request, response) => {
        const isGoing = request.path.includes('/going/');
        const body = isGoing
          ? { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, details: terminating }
          : request.path.includes('/gone/')
            ? { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details: { kind: 'namespaces' } }
            : { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 };
        sendJson(response, body, body.code);
      },
      { log },
    );
    const record = (namespace: string, i: number) =>
      t.recorder.record({ ...subject, namespace, name: `${namespace}-${i}`, uid: `${namespace}-${i}` }, event);
    for (let i = 0; i < 300; i++) record(i % 2 ? 'going' : 'gone', i);
    for (let i = 0; i < 50; i++) record('shop', i);
    await until(() => t.recorder.dropped === 350, 'all are dropped');
    expect(logs).toHaveLength(1);
    expect(JSON.parse(logs[0]!)).toMatchObject({ msg: 'cannot write an event', namespace: 'shop' });
    t.clock.advance(61_000);
    record('shop', 1000);
    await until(() => t.recorder.dropped === 351, 'the next is dropped');
    expect(logs.map((line) => JSON.parse(line).others)).toEqual([undefined, 49]);
  });

  it('creates a new event when the counted one has expired', async () => {
    await using t = await setUp((request, response) =>
      request.method === 'PATCH' ? sendStatus(response, 404, 'NotFound') : accept(request, response),
    );
    t.recorder.record(subject, event);
    t.recorder.record(subject, event);
    await until(() => t.server.requests.length === 3, 'three writes');
    expect(t.server.requests.map((r) => r.method)).toEqual(['POST', 'PATCH', 'POST']);
  });

  it('keeps events about cluster-wide objects in default', async () => {
    await using t = await setUp();
    t.recorder.record({ apiVersion: 'v1', kind: 'Node', name: 'n1' }, event);
    await until(() => t.server.requests.length === 1, 'the write');
    expect(t.server.requests[0]?.path).toBe('/api/v1/namespaces/default/events');
  });

  it('never blocks and never fails its caller: a full queue and a refusal are only counted', async () => {
    await using t = await setUp((_, response) => sendStatus(response, 403, 'Forbidden'), { maxQueued: 2 });
    for (let i = 0; i < 5; i++) t.recorder.record({ ...subject, name: `web-${i}` }, event);
    expect(t.recorder.dropped).toBe(3);
    await until(() => t.recorder.dropped === 5, 'both refusals');
  });

  it('retries while the server is unavailable', async () => {
    let calls = 0;
    await using t = await setUp((request, response) =>
      ++calls < 3 ? sendStatus(response, 500, 'InternalError') : accept(request, response),
    );
    t.recorder.record(subject, event);
    for (let pause = 1; pause <= 2; pause++) {
      await until(() => t.clock.sleeps.length === pause, 'a pause');
      t.clock.advance(10_000);
    }
    await until(() => calls === 3, 'the third try');
    expect(t.recorder.dropped).toBe(0);
  });

  it('writes queued events before it stops', async () => {
    await using t = await setUp();
    for (let i = 0; i < 5; i++) t.recorder.record({ ...subject, name: `web-${i}` }, event);
    t.stop.abort();
    await t.running;
    expect(t.server.requests.map((r) => JSON.parse(r.body).involvedObject.name)).toEqual(
      [0, 1, 2, 3, 4].map((i) => `web-${i}`),
    );
  });
});

describe('EventCorrelator', () => {
  it('drops events of an object with too many, until its bucket has refilled a little', () => {
    const clock = new ManualClock();
    const correlator = new EventCorrelator(clock);
    const send = () => correlator.correlate(subject, event) !== undefined;
    expect(Array.from({ length: 30 }, send).filter(Boolean).length).toBe(25);
    expect(correlator.correlate({ ...subject, uid: 'u2' }, event)).toBeDefined();
    clock.advance(300_000);
    expect([send(), send()]).toEqual([true, false]);
  });

  it('combines events that differ only in their message', () => {
    const clock = new ManualClock();
    const correlator = new EventCorrelator(clock, { ...defaultCorrelationLimits, burst: 100 });
    const send = (i: number) => correlator.correlate(subject, { ...event, message: `try ${i}` });
    for (let i = 1; i < 10; i++) expect(send(i)?.content.message).toBe(`try ${i}`);
    expect(send(10)).toMatchObject({ count: 1, content: { message: '(combined from similar events): try 10' } });
    expect(send(11)).toMatchObject({ count: 2, content: { message: '(combined from similar events): try 11' } });
    clock.advance(600_001);
    expect(send(12)?.content.message).toBe('try 12');
  });
});
