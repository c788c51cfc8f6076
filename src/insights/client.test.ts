import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { type Fault, startInsightsServer } from '../../test/support/insights-server.ts';
import { systemClock } from '../base/index.ts';
import {
  createInsightsClient,
  createRedactor,
  createSettingsReader,
  InsightsError,
  readInsightsSettings,
  redactLogs,
} from './index.ts';

const policiesPath = '/kyverno-policies/';
const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Pauses are recorded and not waited for; time limits stay real. */
async function setUp(options: { readonly attemptMs?: number; readonly token?: string } = {}) {
  const server = await startInsightsServer();
  const pauses: number[] = [];
  const env = { ...server.env, ...(options.token ? { FAIRWINDS_TOKEN: options.token } : {}) };
  const reader = createSettingsReader(env);
  const settings = readInsightsSettings(reader);
  reader.finish();
  const client = createInsightsClient(settings, {
    clock: { ...systemClock, sleep: async (ms) => void pauses.push(ms) },
    random: () => 0,
    attemptMs: options.attemptMs ?? 5_000,
  });
  closers.push(
    () => client.close(),
    () => server.stop(),
  );
  return { server, client, pauses, settings };
}

const failure = async (work: Promise<unknown>): Promise<InsightsError> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(InsightsError);
  return thrown as InsightsError;
};

describe('the client of Insights', () => {
  test('requests the policies of its cluster with the token', async () => {
    const { server, client } = await setUp();
    server.policies = 'kind: ClusterPolicy\n';
    expect(await client.fetchPolicies(never)).toBe('kind: ClusterPolicy\n');
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: '/v0/organizations/acme/clusters/local/kyverno-policies/with-app-groups-applied/yaml',
    });
  });

  test('retries transient failures: a 5xx, a 429, a closed connection, a missing response', async () => {
    const { server, client, pauses } = await setUp({ attemptMs: 300 });
    server.policies = 'a: b\n';
    server.fail(policiesPath, { status: 502 }, 'hang-up', 'silence');
    expect(await client.fetchPolicies(never)).toBe('a: b\n');
    expect(pauses).toEqual([500, 1000, 2000]);
    server.fail(policiesPath, { status: 429, headers: { 'retry-after': '7' } });
    expect(await client.fetchPolicies(never)).toBe('a: b\n');
    expect(pauses.at(-1)).toBe(7000);
  });

  test('gives up after three retries, or at once when Retry-After is too long', async () => {
    const { server, client, pauses } = await setUp();
    server.failForever(policiesPath, { status: 503, body: '{"message":"later"}' });
    const error = await failure(client.fetchPolicies(never));
    expect(error).toMatchObject({ code: 'insights-server-error', status: 503 });
    expect(error.message).toContain('Insights failed (503): {"message":"later"} (tried 4 times)');
    expect(server.requestsTo(policiesPath)).toHaveLength(4);
    server.heal();
    server.fail(policiesPath, { status: 429, headers: { 'retry-after': '61' } });
    pauses.length = 0;
    expect((await failure(client.fetchPolicies(never))).code).toBe('insights-throttled');
    expect(pauses).toEqual([]);
  });

  test.each<[number, string, RegExp]>([
    [401, 'insights-unauthorized', /renew FAIRWINDS_TOKEN/],
    [403, 'insights-forbidden', /may not do this \(403\) for organization acme, cluster local/],
    [404, 'insights-not-found', /check FAIRWINDS_ORG, FAIRWINDS_CLUSTER and FAIRWINDS_INSIGHTS_HOST/],
    [302, 'insights-redirected', /redirects are not followed with a token/],
    [422, 'insights-refused', /refuses \(422\)/],
  ])('says what to do about a %i and does not retry', async (status, code, message) => {
    const { server, client } = await setUp();
    server.failForever(policiesPath, { status, headers: { location: 'https://elsewhere.test/' } });
    const error = await failure(client.fetchPolicies(never));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(server.requestsTo(policiesPath)).toHaveLength(1);
  });

  test.each<[string, Fault, string, RegExp]>([
    ['a web page', { text: '<html>sign in</html>', type: 'text/html' }, 'insights-bad-answer', /a web page/],
    ['a web page in disguise', { text: '\n <!doctype html>' }, 'insights-bad-answer', /a web page/],
    ['100 MB, announced', { bytes: 100_000_000, announced: true }, 'insights-too-large', /larger than 33554432 bytes/],
    ['100 MB, not announced', { bytes: 100_000_000, announced: false }, 'insights-too-large', /larger than/],
    ['a response that may be cut off', { cut: 'a: b', framed: false }, 'insights-bad-answer', /where it ends/],
  ])('refuses %s', async (_, fault, code, message) => {
    const { server, client } = await setUp();
    server.failForever(policiesPath, fault);
    const error = await failure(client.fetchPolicies(never));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test('treats a response that is shorter than announced as a transient failure', async () => {
    const { server, client } = await setUp();
    server.policies = 'whole: true\n';
    server.fail(policiesPath, { cut: 'whole: fal', framed: true });
    expect(await client.fetchPolicies(never)).toBe('whole: true\n');
  });

  test('claims up to a limit, reads large ids exactly, and counts unreadable entries', async () => {
    const { server, client } = await setUp();
    server.offer({ id: 41, reportType: 'trivy', options: { imagesToScan: 'a' } });
    server.offer({ id: 42, reportType: 'nova' });
    server.offer({ id: 43, reportType: 'pluto' });
    expect((await client.claimJobs(2, never)).jobs).toEqual([
      { id: '41', reportType: 'trivy', options: { imagesToScan: 'a' } },
      { id: '42', reportType: 'nova', options: {} },
    ]);
    expect(server.offered).toHaveLength(1);
    const text = '[{"id":9223372036854775807,"reportType":"trivy"},{"reportType":"nova"},{"id":"x"},7]';
    server.fail('/claim', { text, type: 'application/json' });
    expect(await client.claimJobs(9, never)).toEqual({
      jobs: [
        { id: '9223372036854775807', reportType: 'trivy', options: {} },
        { id: 'x', reportType: '', options: {} },
      ],
      unreadable: 2,
    });
  });

  test('does not retry a claim: jobs may have been claimed although the response was lost', async () => {
    const { server, client } = await setUp();
    server.failForever('/claim', { status: 500 });
    expect((await failure(client.claimJobs(1, never))).code).toBe('insights-server-error');
    expect(server.requestsTo('/claim')).toHaveLength(1);
  });

  test.each(['nonsense', '{"jobs":[]}', '"x"'])('refuses %s as the response to a claim', async (text) => {
    const { server, client } = await setUp();
    server.fail('/claim', { text, type: 'application/json' });
    expect((await failure(client.claimJobs(1, never))).code).toBe('insights-bad-answer');
  });

  test('reports states in the bodies that Insights accepts', async () => {
    const { server, client } = await setUp();
    await client.reportJobStatus('41', 'running', never);
    expect(server.requests[0]).toMatchObject({ method: 'PATCH', body: '{"status":"running"}' });
    expect(server.requests[0]?.path).toBe('/v0/organizations/acme/clusters/local/reports/on-demand-jobs/41/status');
    const status = {
      policyName: 'p',
      reportType: 'kyverno',
      action: 'apply',
      status: 'success',
      lastAppliedAt: '2026-01-01T00:00:00Z',
      policyBody: 'x',
      output: '',
    } as const;
    await client.reportPolicyStatus(status, never);
    expect(server.policyReports).toEqual([status]);
  });

  test('stops on abort, also while it waits for a retry', async () => {
    const { server, client } = await setUp();
    server.failForever(policiesPath, 'silence');
    const stop = new AbortController();
    const call = client.fetchPolicies(stop.signal);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});

describe('the token', () => {
  test('is never shown, whatever a server returns or a program prints', async () => {
    const token = 'tok/en+4711==';
    const { server, client, settings } = await setUp({ token });
    server.failForever('/', { status: 400, body: `bad ${token} and ${encodeURIComponent(token)}` });
    const error = await failure(client.fetchPolicies(never));
    expect(error.message).toContain('bad [redacted] and [redacted]');
    const shown = [inspect(error, { depth: 9 }), inspect(settings), JSON.stringify(settings), `${settings.token}`];
    for (const text of shown) expect(text).not.toContain('4711');
    const lines: unknown[] = [];
    const note = (message: string, fields?: unknown) => void lines.push([message, fields]);
    const log = { debug: note, info: note, warn: note, error: note, child: () => log };
    redactLogs(log, createRedactor(settings.token)).warn(`m ${token}`, {
      a: [{ [token]: new Error(token) }],
      s: settings,
    });
    expect(inspect(lines, { depth: 9 })).not.toContain('4711');
  });
});

describe('the settings', () => {
  const good = {
    FAIRWINDS_INSIGHTS_HOST: 'https://insights.example.com/',
    FAIRWINDS_TOKEN: 'token',
    FAIRWINDS_ORG: 'o',
    FAIRWINDS_CLUSTER: 'c',
  };
  const read = (env: Readonly<Record<string, string>>) => {
    const reader = createSettingsReader(env);
    const settings = readInsightsSettings(reader);
    reader.finish();
    return settings;
  };

  test('are read from the environment', () => {
    expect(read(good)).toMatchObject({ host: 'https://insights.example.com', organization: 'o', cluster: 'c' });
  });

  test('that are missing or wrong are all named in one message, which shows no token', () => {
    const reader = createSettingsReader({
      FAIRWINDS_INSIGHTS_HOST: 'ftp://x',
      FAIRWINDS_TOKEN: 'hush hush',
      DRY_RUN: 'perhaps',
    });
    readInsightsSettings(reader);
    reader.boolean('DRY_RUN', false);
    reader.durationMs('LOCK_TIMEOUT', '30m');
    let message = '';
    try {
      reader.finish();
    } catch (thrown) {
      message = (thrown as Error).message;
    }
    for (const name of [
      'HOST must begin',
      'TOKEN holds spaces',
      'ORG is not set',
      'CLUSTER is not set',
      'DRY_RUN must be',
    ])
      expect(message).toContain(name);
    expect(message).not.toContain('LOCK_TIMEOUT');
    expect(message).not.toContain('hush');
  });

  test('require https, except for loopback or where plain http is allowed', () => {
    expect(() => read({ ...good, FAIRWINDS_INSIGHTS_HOST: 'http://insights.example.com' })).toThrow(/in the clear/);
    for (const host of ['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1'])
      expect(read({ ...good, FAIRWINDS_INSIGHTS_HOST: host }).host).toBe(host);
    expect(() => read({ ...good, FAIRWINDS_INSIGHTS_HOST: 'http://127.0.0.1.evil.test' })).toThrow(/in the clear/);
    const allowed = { ...good, FAIRWINDS_INSIGHTS_HOST: 'http://plain.test', FAIRWINDS_INSIGHTS_ALLOW_HTTP: 'true' };
    expect(read(allowed).host).toBe('http://plain.test');
    expect(() => read({ ...good, FAIRWINDS_INSIGHTS_HOST: 'https://u:p@x.test' })).toThrow(/user or password/);
  });
});
