import { Agent, request } from 'undici';

/**
 * A minimal client of a Kubernetes API server that shares nothing with the program's own client, so that a test of the
 * one cannot be fooled by a mistake of the other.
 */
export interface HttpClient {
  get(path: string, headers?: Headers): Promise<Answer>;
  head(path: string, headers?: Headers): Promise<Answer>;
  post(path: string, body: unknown, headers?: Headers): Promise<Answer>;
  put(path: string, body: unknown, headers?: Headers): Promise<Answer>;
  patch(path: string, body: unknown, contentType: PatchType | (string & {}), headers?: Headers): Promise<Answer>;
  delete(path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Opens a watch; `path` carries the other parameters. An answer other than 200 is thrown as WatchRefused. */
  watch(path: string, headers?: Headers): Promise<WatchStream>;
  close(): Promise<void>;
}

export type Headers = Readonly<Record<string, string>>;

/**
 * JSON as it came, typed as a test hopes to find it: nothing is checked here, so every field that a test reads must
 * also be expected by it.
 */
export interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: BodyMetadata;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
  readonly items: readonly Body[];
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly details: {
    readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface BodyMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly managedFields: readonly Readonly<Record<string, unknown>>[];
  readonly continue: string;
  readonly remainingItemCount?: number;
  readonly [field: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
  readonly text: string;
  /** The `Warning` headers' texts. */
  readonly warnings: readonly string[];
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface SendOptions {
  readonly headers?: Headers;
  readonly body?: unknown;
  readonly contentType?: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

export interface WatchStream extends AsyncIterable<WatchEvent> {
  /** The next event; throws when none comes in time or the stream has ended. */
  next(timeoutMs?: number): Promise<WatchEvent>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export class WatchRefused extends Error {
  constructor(readonly answer: Answer) {
    super(`watch refused with ${answer.status}: ${answer.text}`);
  }
}

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export interface ClientOptions {
  readonly url: string;
  readonly caPem: string;
  readonly token?: string;
}

export function createHttpClient({ url, caPem, token }: ClientOptions): HttpClient {
  const agent = new Agent({ connect: { ca: caPem }, bodyTimeout: 0, pipelining: 1 });
  const authorization: Headers = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const open = (method: string, path: string, options: SendOptions) =>
    request(url + path, {
      dispatcher: agent,
      method: method as 'GET',
      headers: {
        accept: 'application/json',
        ...authorization,
        ...(options.body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: encode(options.body) }),
    });

  const send = async (method: string, path: string, options: SendOptions = {}) => {
    const { statusCode, headers, body } = await open(method, path, options);
    return toAnswer(statusCode, headers, await body.text());
  };

  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    head: (path, headers = {}) => send('HEAD', path, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { body, headers }),
    put: (path, body, headers = {}) => send('PUT', path, { body, headers }),
    patch: (path, body, contentType, headers = {}) =>
      send('PATCH', path, { body, headers, contentType: patchTypes[contentType as PatchType] ?? contentType }),
    delete: (path, body, headers = {}) => send('DELETE', path, { ...(body === undefined ? {} : { body }), headers }),
    async watch(path, headers = {}) {
      const separator = path.includes('?') ? '&' : '?';
      const { statusCode, headers: answered, body } = await open('GET', `${path}${separator}watch=true`, { headers });
      if (statusCode !== 200) throw new WatchRefused(toAnswer(statusCode, answered, await body.text()));
      return readWatch(body);
    },
    close: () => agent.destroy(),
  };
}

const encode = (body: unknown): string | Buffer =>
  typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body);

function toAnswer(status: number, headers: Answer['headers'], text: string): Answer {
  // Some answers of JSON, those of /openapi/v3, call themselves plain text.
  const isJson = text.startsWith('{');
  const warnings = [headers['warning'] ?? []]
    .flat()
    .map((line) => /^299 \S+ "(.*)"/.exec(line)?.[1]?.replaceAll('\\"', '"') ?? line);
  return { status, headers, text, warnings, body: (isJson ? JSON.parse(text) : undefined) as Body };
}

type ByteStream = AsyncIterable<Buffer> & { destroy(): void; on(event: 'error', listener: () => void): unknown };

function readWatch(body: ByteStream): WatchStream {
  const ready: WatchEvent[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of waiting) resume();
  };
  let isEnded = false;
  const drain = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        ready.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WatchEvent));
        wake();
      }
    } catch {
      // An aborted stream ends like a finished one: the tests ask only for what came before.
    } finally {
      isEnded = true;
      wake();
    }
  };
  const ended = drain();

  const next = async (timeoutMs = 10_000): Promise<WatchEvent> => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const event = ready.shift();
      if (event) return event;
      if (isEnded) throw new Error('the watch has ended');
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) throw new Error(`no event within ${timeoutMs} ms`);
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, remainingMs);
        waiting.add(done);
      });
    }
  };

  return {
    next,
    ended,
    close: () => body.destroy(),
    async *[Symbol.asyncIterator]() {
      while (ready.length > 0 || !isEnded) {
        try {
          yield await next(2 ** 31 - 1);
        } catch {
          return;
        }
      }
    },
  };
}
