import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import {
  createAdmissionMetrics,
  createAuditQueue,
  createPolicyReviewers,
  defaultOmittedEvents,
  defaultResourceFilters,
  hasEvents,
  parseResourceFilters,
} from '../../src/admission/index.ts';
import { createAuthority, issueCertificate, silentLogger, systemClock } from '../../src/base/index.ts';
import { compilePolicy } from '../../src/policy/index.ts';
import { createEvaluationTurns, createPolicySet } from '../../src/runtime/index.ts';
import { createWebhookMetrics, createWebhookServer } from '../../src/webhook/index.ts';
import type { Work } from './busy-cluster.ts';
import { scanAndCopy } from './busy-work.ts';
import { watchLoop } from './loop-watch.ts';

/** A server that reads a body and says yes, without a thought: what Node itself takes for a request. */
export const serveNothing = (): void => serve(() => '{"allowed":true}');

/** The same with `JSON.parse` and an answer to what was asked: nobody decides about an object for less. */
export const serveParsed = (): void =>
  serve((body) => {
    const { uid } = (JSON.parse(body.toString()) as { readonly request: { readonly uid: string } }).request;
    const response = { uid, allowed: true };
    return JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response });
  });

function serve(answer: (body: Buffer) => string): void {
  const { serving, ca } = certificates();
  // Connections stay while other servers are asked.
  const settings = { key: serving.keyPem, cert: serving.certPem, keepAlive: true, keepAliveTimeout: 600_000 };
  const server = createServer(settings, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = answer(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      response.end(text);
    });
  });
  answerQuestions();
  process.on('disconnect', () => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port, ca }));
}

/** What the measuring process asks of a server: how much it has used, to watch its loop, to work beside. */
export type Question = 'usage' | 'reset' | 'loop' | Work;

function answerQuestions(): void {
  // Watching costs a few milliseconds a second: not while nobody asks.
  let watched: ReturnType<typeof watchLoop> | undefined;
  const answer = async (question: Question): Promise<object> => {
    if (question === 'usage') return { cpu: process.cpuUsage(), rss: process.memoryUsage.rss() };
    if (question !== 'loop' && question !== 'reset') return scanAndCopy(question);
    watched ??= watchLoop();
    if (question === 'loop') return watched.read();
    watched.reset();
    return {};
  };
  process.on('message', async (message) => {
    const { id, question } = message as { readonly id: number; readonly question: Question };
    process.send?.({ id, answer: await answer(question) });
  });
}

function certificates() {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'bench authority', now, validDays: 1 });
  const options = { commonName: 'bench', hosts: ['127.0.0.1'], usage: 'server', now, validDays: 1 } as const;
  return { serving: issueCertificate(authority, options), ca: authority.certPem };
}

/** The program's own server and reviewers, with policies that are there from the start. Ends with its parent. */
export async function serveReviews(policies: readonly object[]): Promise<void> {
  const programs = policies.map((policy) => {
    const { program, issues } = compilePolicy(policy);
    if (!program) throw new Error(issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
    return program;
  });
  const set = createPolicySet(programs);
  const registry = new Registry();
  const later = createAuditQueue(silentLogger);
  const omitted = new Set<string>(defaultOmittedEvents);
  const metrics = createAdmissionMetrics(registry, later);
  const { mutate, validate } = createPolicyReviewers({
    policies: { current: set, hasSynced: true },
    lookUps: { answer: async () => ({ ok: false, message: 'nothing is looked up here' }) },
    namespaces: { hasSynced: true, labels: () => ({}), fetchLabels: async () => ({}) },
    roles: { of: async () => ({ roles: [], clusterRoles: [] }) },
    discovery: { byResource: async () => undefined },
    filters: parseResourceFilters(defaultResourceFilters),
    auditQueue: later,
    turns: createEvaluationTurns(),
    count: metrics.count,
    shouldReport: (results) => hasEvents(omitted, results),
    onResults: () => {},
    clock: systemClock,
    log: silentLogger,
  });
  const server = createWebhookServer({
    host: '127.0.0.1',
    port: 0,
    reviewers: [mutate, validate],
    metrics: createWebhookMetrics(registry),
    clock: systemClock,
    log: silentLogger,
  });
  const { serving, ca } = certificates();
  server.use(serving);
  answerQuestions();
  const end = new AbortController();
  const running = server.run(end.signal);
  process.on('disconnect', () => end.abort());
  while (server.port === undefined) await systemClock.sleep(5);
  process.send?.({ port: server.port, ca });
  await running;
}
