import { BulkSocket, type BulkTarget, connectionClosed } from './bulk-socket.ts';

interface BulkRequest extends BulkTarget {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requires a content-length header. */
  readonly body?: AsyncIterable<Uint8Array>;
}

interface BulkResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BulkBody;
}

/** A body that can be read once. A piece is valid until the next one is requested. */
interface BulkBody extends AsyncIterable<Buffer> {
  /** Discards the rest of the body. */
  dump(): Promise<void>;
}

const maxHeadBytes = 64 * 1024;

/**
 * One HTTP/1.1 exchange on its own connection, for layers. It needs a third of the CPU time of a general client, which
 * limits the speed of a copy when registries and copy share the CPU. Returns undefined for a chunked response, which it
 * does not stream: the general client then repeats the request.
 */
export async function bulkExchange(request: BulkRequest & Required<Pick<BulkRequest, 'body'>>): Promise<BulkResponse>;
export async function bulkExchange(request: BulkRequest): Promise<BulkResponse | undefined>;
export async function bulkExchange(request: BulkRequest): Promise<BulkResponse | undefined> {
  const { method, url, body } = request;
  const socket = await BulkSocket.open(request);
  try {
    const requestHeaders = { host: url.host, connection: 'close', ...request.headers };
    const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${checked(value)}\r\n`);
    await socket.write(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
    const head = readHead(socket);
    if (body !== undefined) await sendBody(socket, body, head);
    const { status, headers, rest } = await head;
    const isChunked = headers['transfer-encoding'] !== undefined;
    if (isChunked && body === undefined) {
      socket.destroy();
      return undefined;
    }
    const isEmpty = method === 'HEAD' || status === 204 || status === 304;
    const length = isEmpty ? 0 : lengthOf(headers);
    return { status, headers, body: bodyOf(socket, rest, length, isChunked) };
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

/** Header values come from us and from tokens of servers. None may start another line. */
function checked(value: string): string {
  if (/[\r\n\0]/.test(value)) throw new Error('a header holds a line break');
  return value;
}

/** A response before the end of the body (an error) stops the sending. */
async function sendBody(socket: BulkSocket, body: AsyncIterable<Uint8Array>, head: Promise<unknown>): Promise<void> {
  let hasResponse = false;
  const noted = head.then(
    () => {
      hasResponse = true;
    },
    () => {
      hasResponse = true;
    },
  );
  for await (const piece of body) {
    if (hasResponse) return;
    // A target that responded with an error and stopped reading never takes the piece.
    await Promise.race([socket.write(piece).catch(() => noted), noted]);
  }
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rest: Buffer;
}

async function readHead(socket: BulkSocket): Promise<Head> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const piece = await socket.read();
    if (piece === undefined) throw connectionClosed();
    const before = Math.max(0, bytes.length - 3);
    // The first piece may hold a large part of the body: search only the head, and copy the rest once.
    bytes = bytes.length === 0 ? Buffer.from(piece) : Buffer.concat([bytes, piece]);
    const end = bytes.indexOf('\r\n\r\n', before, 'latin1');
    if (end === -1) {
      if (bytes.length > maxHeadBytes) throw new Error(`the response head is larger than ${maxHeadBytes} bytes`);
      continue;
    }
    const head = parseHead(bytes.toString('latin1', 0, end));
    bytes = bytes.subarray(end + 4);
    // Skip interim responses such as 100 Continue.
    if (head.status >= 200) return { ...head, rest: bytes };
    if (bytes.length > 0) throw new Error('an interim response overlaps the final one');
  }
}

function parseHead(text: string): { readonly status: number; readonly headers: Record<string, string> } {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1]);
  if (!Number.isInteger(status)) throw new Error('the response is not HTTP/1.1');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new Error('a response header is not valid');
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status, headers };
}

function lengthOf(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['content-length'];
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Error('the content-length of the response is not valid');
  return Number(text);
}

function bodyOf(socket: BulkSocket, first: Buffer, length: number | undefined, isChunked: boolean): BulkBody {
  async function* raw(): AsyncGenerator<Buffer> {
    let left = length ?? Number.POSITIVE_INFINITY;
    try {
      for (let piece: Buffer | undefined = first; left > 0; piece = await socket.read()) {
        if (piece === undefined) {
          if (length === undefined) return;
          throw connectionClosed();
        }
        if (piece.length === 0) continue;
        const wanted = piece.length > left ? piece.subarray(0, left) : piece;
        left -= wanted.length;
        yield wanted;
      }
    } finally {
      socket.destroy();
    }
  }
  return {
    [Symbol.asyncIterator]: () => (isChunked ? dechunk(raw()) : raw()),
    async dump() {
      socket.destroy();
    },
  };
}

const maxChunkedBytes = 1024 * 1024;

/** Decodes the chunked coding of a small response, such as an error. */
async function* dechunk(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxChunkedBytes) throw new Error('the response is too large');
    all.push(Buffer.from(piece));
  }
  const bytes = Buffer.concat(all);
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (end === -1 || Number.isNaN(length)) throw connectionClosed();
    if (length === 0) return;
    yield bytes.subarray(end + 2, end + 2 + length);
    at = end + 2 + length + 2;
  }
}
