import { Client, type Dispatcher, Pool } from 'undici';

const newline = 10;

/** How to reach a server. */
interface Server {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

/**
 * Requests from this process to a server, over kept-open TLS connections. Answers are taken as they come from the
 * parser, without streams: the load shares the machine with what it measures.
 */
export class Load {
  private readonly pool: Pool;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly server: Server,
    connections: number,
  ) {
    this.pool = new Pool(server.url, { connections, connect: { ca: server.caPem } });
    this.headers = { authorization: `Bearer ${server.token}`, 'user-agent': 'bench/1', accept: 'application/json' };
  }

  /** Posts every body, `connections` at a time. */
  async create(path: string, bodies: readonly (string | Buffer)[], concurrency: number): Promise<void> {
    let next = 0;
    const headers = { ...this.headers, 'content-type': 'application/json' };
    const work = async () => {
      while (next < bodies.length) await this.send({ method: 'POST', path, headers, body: bodies[next++]! }, 201);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  /** A merge patch. */
  async patch(path: string, patch: object): Promise<void> {
    const headers = { ...this.headers, 'content-type': 'application/merge-patch+json' };
    await this.send({ method: 'PATCH', path, headers, body: JSON.stringify(patch) }, 200);
  }

  /** One object, or all of a collection. */
  async delete(path: string): Promise<void> {
    const { statusCode, body } = await this.pool.request({ method: 'DELETE', path, headers: this.headers });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${await body.text()}`);
    await body.dump();
  }

  /** How many bytes the answer has; none of them is looked at. */
  get(path: string): Promise<number> {
    return this.send({ method: 'GET', path, headers: this.headers }, 200);
  }

  /** An answer as a value, for what is not measured. */
  async read<T>(path: string): Promise<T> {
    const { statusCode, body } = await this.pool.request({ method: 'GET', path, headers: this.headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`);
    return JSON.parse(text) as T;
  }

  /** Watches on a connection of its own and counts events by their line ends: a watcher that costs next to nothing. */
  watch(path: string): Promise<Watcher> {
    const client = new Client(this.server.url, { connect: { ca: this.server.caPem }, bodyTimeout: 0 });
    const watcher = new Watcher(client);
    return new Promise((resolve, reject) => {
      client.dispatch(
        { method: 'GET', path, headers: this.headers },
        {
          ...requestStarted,
          onResponseStart: (_, status) => (status === 200 ? resolve(watcher) : reject(new Error(`${path}: ${status}`))),
          onResponseData: (_, chunk) => watcher.read(chunk),
          onResponseEnd() {},
          // After the beginning only close() ends it; what is missing shows in the count.
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  }

  /** Watches like `watch`, with every line that comes. Ends with the server. */
  watchLines(path: string, onLine: (line: string) => void): Promise<void> {
    const client = new Client(this.server.url, { connect: { ca: this.server.caPem }, bodyTimeout: 0 });
    let rest = Buffer.alloc(0);
    return new Promise((resolve, reject) => {
      client.dispatch(
        { method: 'GET', path, headers: this.headers },
        {
          ...requestStarted,
          onResponseStart: (_, status) => (status === 200 ? resolve() : reject(new Error(`${path}: ${status}`))),
          onResponseData(_, chunk) {
            rest = Buffer.concat([rest, chunk]);
            let start = 0;
            for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline, start)) {
              onLine(rest.toString('utf8', start, end));
              start = end + 1;
            }
            rest = rest.subarray(start);
          },
          onResponseEnd() {},
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  /** Reads the whole answer and counts its bytes. */
  private send(options: Dispatcher.DispatchOptions, expected: number): Promise<number> {
    return new Promise((resolve, reject) => {
      let status = 0;
      let bytes = 0;
      let problem = '';
      this.pool.dispatch(options, {
        ...requestStarted,
        onResponseStart(_, code) {
          status = code;
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
          if (status !== expected) problem += chunk;
        },
        onResponseEnd() {
          if (status === expected) resolve(bytes);
          else reject(new Error(`${options.path}: ${status} ${problem}`));
        },
        onResponseError: (_, error) => reject(error),
      });
    });
  }
}

// Its presence tells undici which of its two kinds of handlers these are.
const requestStarted = { onRequestStart() {} };

export class Watcher {
  private events = 0;
  private awaited: { readonly events: number; readonly resolve: () => void } | undefined;

  constructor(private readonly client: Client) {}

  read(chunk: Buffer): void {
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) this.events++;
    if (this.awaited && this.events >= this.awaited.events) this.awaited.resolve();
  }

  /** Resolves when so many events have come since the watch began. */
  seen(events: number): Promise<void> {
    if (this.events >= events) return Promise.resolve();
    return new Promise((resolve) => {
      this.awaited = { events, resolve };
    });
  }

  close(): Promise<void> {
    return this.client.destroy();
  }
}
