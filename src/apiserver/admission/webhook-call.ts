import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'undici';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  parseJson,
  renderJson,
  SupercargoError,
} from '../../base/index.ts';
import type { VersionedRequest } from './bindings.ts';
import type { Webhook } from './webhook-config.ts';

/** The webhook could not be called, or its response is invalid. Its failurePolicy decides what happens then. */
export class WebhookCallError extends SupercargoError {}

export interface WebhookResponse {
  readonly allowed: boolean;
  readonly patch?: readonly unknown[];
  readonly warnings: readonly string[];
  readonly status?: { readonly message?: string; readonly reason?: string; readonly code?: number };
}

const maxResponseBytes = 8 * 1024 * 1024;

/** Calls webhooks over keep-alive TLS connections, one pool per address and CA. */
export class WebhookCaller {
  private readonly pools = new LRUCache<string, Pool>({
    max: 64,
    dispose: (pool) => void pool.close().catch(() => pool.destroy()),
  });

  async call(webhook: Webhook, request: VersionedRequest, signal?: AbortSignal): Promise<WebhookResponse> {
    const url = addressOf(webhook);
    const uid = randomUUID();
    const deadline = AbortSignal.timeout(webhook.timeoutSeconds * 1000);
    const text = await this.post(
      webhook,
      url,
      renderReview(uid, request),
      signal ? AbortSignal.any([signal, deadline]) : deadline,
    );
    return parseResponse(text, uid, webhook);
  }

  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.allSettled(pools.map((pool) => pool.destroy()));
  }

  private async post(webhook: Webhook, url: URL, body: string, signal: AbortSignal): Promise<string> {
    try {
      const response = await (await this.pool(webhook, url)).request({
        method: 'POST',
        path: `${url.pathname}?timeout=${webhook.timeoutSeconds}s`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
        signal,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxResponseBytes) throw new WebhookCallError('webhook-answer', 'the answer is larger than 8 MiB');
        chunks.push(chunk);
      }
      if (response.statusCode !== 200) {
        throw new WebhookCallError('webhook-answer', `the server answered with status ${response.statusCode}`);
      }
      return Buffer.concat(chunks).toString();
    } catch (thrown) {
      if (thrown instanceof WebhookCallError) throw thrown;
      const why = signal.aborted ? 'context deadline exceeded' : errorMessage(thrown);
      throw new WebhookCallError('webhook-unreachable', `failed to call webhook: Post "${url.href}": ${why}`, {
        cause: thrown,
      });
    }
  }

  private async pool({ clientConfig: { caBundle } }: Webhook, url: URL): Promise<Pool> {
    // Loaded with the first webhook call: it takes a third of the server's start time.
    const { Pool } = await import('./pool.ts');
    const key = `${url.origin} ${caBundle ?? ''}`;
    let pool = this.pools.get(key);
    if (!pool) {
      const ca = caBundle ? { ca: Buffer.from(caBundle, 'base64').toString() } : {};
      pool = new Pool(url.origin, { connections: 32, connect: { ...ca, timeout: 10_000 } });
      this.pools.set(key, pool);
    }
    return pool;
  }
}

function addressOf({ clientConfig: { url, service } }: Webhook): URL {
  if (url) return new URL(url);
  const where = service ? `${service.namespace}/${service.name}` : 'nothing';
  throw new WebhookCallError(
    'webhook-address',
    `the embedded cluster has no network to reach service ${where}; use clientConfig.url`,
  );
}

function renderReview(uid: string, { attributes, kind, resource, object, oldObject }: VersionedRequest): string {
  const { call } = attributes;
  return renderJson({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind,
      resource,
      ...(attributes.subresource === '' ? {} : { subResource: attributes.subresource }),
      requestKind: attributes.kind,
      requestResource: attributes.resource,
      ...(attributes.subresource === '' ? {} : { requestSubResource: attributes.subresource }),
      ...(attributes.name === '' ? {} : { name: attributes.name }),
      ...(attributes.namespace === '' ? {} : { namespace: attributes.namespace }),
      operation: attributes.operation,
      userInfo: call.user,
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: call.dryRun,
      options: attributes.options,
    },
  });
}

function parseResponse(text: string, uid: string, webhook: Webhook): WebhookResponse {
  const bad = (what: string) => new WebhookCallError('webhook-answer', `received invalid webhook response: ${what}`);
  let review: unknown;
  try {
    review = parseJson(text);
  } catch (thrown) {
    throw bad(`it is not JSON: ${errorMessage(thrown)}`);
  }
  if (!isJsonObject(review)) throw bad('it is not an object');
  if (review['kind'] !== 'AdmissionReview' || review['apiVersion'] !== 'admission.k8s.io/v1') {
    throw bad(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${String(review['apiVersion'])}, Kind=${String(review['kind'])}`,
    );
  }
  const response = review['response'];
  if (!isJsonObject(response)) throw bad('webhook response is nil');
  if (response['uid'] !== uid) throw bad(`expected response.uid="${uid}", got "${String(response['uid'] ?? '')}"`);
  const patch = patchOf(response, bad);
  if (patch && webhook.reinvocationPolicy === undefined) throw bad('a validating webhook must not patch');
  return {
    allowed: response['allowed'] === true,
    ...(patch ? { patch } : {}),
    warnings: Array.isArray(response['warnings']) ? response['warnings'].map(String) : [],
    ...(isJsonObject(response['status'])
      ? { status: response['status'] as NonNullable<WebhookResponse['status']> }
      : {}),
  };
}

function patchOf(response: JsonObject, bad: (what: string) => Error): readonly unknown[] | undefined {
  const { patch, patchType } = response;
  if (patch === undefined || patch === null || patch === '') return undefined;
  if (patchType !== 'JSONPatch') throw bad(`response.patchType must be "JSONPatch", got "${String(patchType ?? '')}"`);
  const decoded = parseJson(Buffer.from(String(patch), 'base64').toString());
  if (!Array.isArray(decoded)) throw bad('response.patch is not a list of operations');
  return decoded;
}
