import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type SeenRequest, sendStatus, startServer, type TestServer } from './server.ts';

/** A fault of one watch; counts are whole events that pass first. */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'silent' | 'cut' | 'close' | 'expire'; readonly after: number }
  | { readonly kind: 'delay'; readonly ms: number; readonly after: number }
  | { readonly kind: 'replay'; readonly events: number; readonly after: number }
  | { readonly kind: 'status'; readonly code: number }
  | { readonly kind: 'html' | 'garbage' };

interface FaultProxy extends TestServer {
  /** How often each kind of fault was injected. */
  readonly done: Map<string, number>;
}

const maxRemembered = 60;

/** Forwards to `upstream`; `next` chooses the fault of each request. */
export async function startFaultProxy(
  upstream: TestServer,
  next: (request: SeenRequest) => Fault,
): Promise<FaultProxy> {
  const remembered: Buffer[] = [];
  const done = new Map<string, number>();
  const server = await startServer((seen, response) => {
    const fault = next(seen);
    const note = () => done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1);
    if (fault.kind === 'status') {
      note();
      sendStatus(response, fault.code, fault.code === 410 ? 'Expired' : 'InternalError');
      return;
    }
    if (fault.kind === 'html') {
      note();
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>bad gateway</html>\n');
      return;
    }
    const path = `${seen.path}?${seen.query}`;
    const forward = httpRequest(
      { port: upstream.port, host: '127.0.0.1', path, method: seen.method },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 500, {
          'content-type': upstreamResponse.headers['content-type'],
        });
        response.flushHeaders();
        if (seen.query.get('watch') === 'true') relayWatch({ upstreamResponse, response, fault, remembered, note });
        else upstreamResponse.pipe(response);
      },
    );
    forward.on('error', () => response.destroy());
    response.on('close', () => forward.destroy());
    forward.end();
  });
  return Object.assign(server, { done });
}

interface Relay {
  readonly upstreamResponse: IncomingMessage;
  readonly response: ServerResponse;
  readonly fault: Fault;
  readonly remembered: Buffer[];
  readonly note: () => void;
}

function relayWatch({ upstreamResponse, response, fault, remembered, note }: Relay): void {
  let passed = 0;
  let isOver = false;
  let pending = Buffer.alloc(0);
  const pass = (line: Buffer) => {
    passed++;
    response.write(line);
    remembered.push(line);
    if (remembered.length > maxRemembered) remembered.shift();
  };
  const applyFault = async (line: Buffer): Promise<void> => {
    switch (fault.kind) {
      case 'silent':
        isOver = true;
        return;
      case 'cut':
        isOver = true;
        response.write(line.subarray(0, Math.floor(line.length / 2)), () => response.socket?.destroy());
        return;
      case 'close':
        isOver = true;
        response.end();
        return;
      case 'expire':
        isOver = true;
        response.end(
          `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`,
        );
        return;
      case 'garbage':
        isOver = true;
        response.end('{"type":"ADDED","object":{"metad\n');
        return;
      case 'delay':
        await new Promise((resolve) => setTimeout(resolve, fault.ms));
        return pass(line);
      case 'replay':
        for (const old of remembered.slice(-fault.events)) response.write(old);
        return pass(line);
      default:
        return pass(line);
    }
  };
  const threshold = 'after' in fault ? fault.after : 0;
  const consume = async () => {
    for await (const chunk of upstreamResponse) {
      pending = Buffer.concat([pending, chunk as Buffer]);
      for (let end = pending.indexOf(0x0a); end !== -1; end = pending.indexOf(0x0a)) {
        const line = Buffer.from(pending.subarray(0, end + 1));
        pending = pending.subarray(end + 1);
        if (isOver) continue;
        if (passed !== threshold) pass(line);
        else {
          note();
          await applyFault(line);
        }
      }
    }
    if (!isOver) response.end();
  };
  // The upstream connection ends whenever the client disconnects; that is not a failure of the proxy.
  consume().catch(() => response.destroy());
}
