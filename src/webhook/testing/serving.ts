import { request } from 'node:https';
import { Registry } from 'prom-client';
import { createAuthority, issueCertificate, type KeyPair, type Logger, systemClock } from '../../base/index.ts';
import { createWebhookMetrics } from '../metrics.ts';
import type { Reviewer } from '../reviewer.ts';
import { createWebhookServer, type WebhookServer, type WebhookServerOptions } from '../server.ts';

export interface Serving {
  readonly server: WebhookServer;
  readonly port: number;
  readonly authority: KeyPair;
  readonly lines: readonly string[];
  metrics(): Promise<string>;
  /** A new certificate of the same authority. */
  certificate(): KeyPair;
  stop(): Promise<void>;
}

/** A webhook server on a free loopback port, with its log and metrics. */
export async function serve(
  reviewers: readonly Reviewer[],
  options: Partial<WebhookServerOptions> = {},
): Promise<Serving> {
  const registry = new Registry();
  const lines: string[] = [];
  const record = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const log: Logger = { debug: record, info: record, warn: record, error: record, child: () => log };
  const now = Date.now();
  const authority = createAuthority({ commonName: 'test authority', now, validDays: 1 });
  const certificate = () =>
    issueCertificate(authority, { commonName: 'test', hosts: ['127.0.0.1'], usage: 'server', now, validDays: 1 });
  const server = createWebhookServer({
    host: '127.0.0.1',
    port: 0,
    reviewers,
    metrics: createWebhookMetrics(registry),
    clock: systemClock,
    log,
    ...options,
  });
  server.use(certificate());
  const end = new AbortController();
  const running = server.run(end.signal);
  while (server.port === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    server,
    port: server.port,
    authority,
    lines,
    metrics: () => registry.metrics(),
    certificate,
    async stop() {
      end.abort();
      await running;
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export function post(
  { port, authority }: Pick<Serving, 'port' | 'authority'>,
  path: string,
  body: string | Buffer,
  { method = 'POST', type = 'application/json' }: { readonly method?: string; readonly type?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { host: '127.0.0.1', port, ca: authority.certPem, path, method, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export const reviewOf = (request: object) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      namespace: 'default',
      name: 'a',
      userInfo: { username: 'ann', groups: [] },
      object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' } },
      oldObject: null,
      ...request,
    },
  });
