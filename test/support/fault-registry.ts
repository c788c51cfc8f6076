import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one request suffers. Bytes are those of the body that travels. */
export type RegistryFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'cut-answer' | 'hang-answer'; readonly afterBytes: number }
  | { readonly kind: 'cut-upload' | 'hang-upload'; readonly afterBytes: number }
  | { readonly kind: 'flip-byte'; readonly at: number }
  | { readonly kind: 'redirect'; readonly to: string };

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export interface FaultRegistryOptions {
  /** `127.0.0.1:port` of the registry behind. */
  readonly upstream: string;
  readonly fault?: (request: SeenRequest) => RegistryFault | undefined;
  /** Holds a request back until it resolves. */
  readonly gate?: (request: SeenRequest) => Promise<void> | undefined;
  /** Asks for bearer tokens and hands them out for this name and password. */
  readonly bearer?: { readonly username: string; readonly password: string; readonly lifetimeSeconds?: number };
}

export interface FaultRegistry {
  readonly host: string;
  readonly seen: readonly SeenRequest[];
  /** Every token that was handed out; each holds only the word it was given plus a number. */
  readonly tokens: readonly string[];
  readonly faults: number;
  /** From now on no token that was handed out is good. */
  expireTokens(): void;
  stop(): Promise<void>;
}

/** A registry's address behind which requests fail as a test wants them to. */
export async function startFaultRegistry(options: FaultRegistryOptions): Promise<FaultRegistry> {
  const seen: SeenRequest[] = [];
  const tokens: string[] = [];
  const valid = new Set<string>();
  let faults = 0;
  const server = createServer((request, response) => {
    const line = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
    seen.push(line);
    request.on('error', () => undefined);
    if (options.bearer && line.url.startsWith('/token')) return handOut(options.bearer);
    if (options.bearer && !isAllowed(line)) return challenge();
    const fault = options.fault?.(line);
    if (fault === undefined) {
      const opened = options.gate?.(line);
      if (opened === undefined) return pass(request, response, options.upstream, undefined);
      return void opened.then(() => pass(request, response, options.upstream, undefined));
    }
    faults++;
    if (fault.kind === 'status') return answer(response, fault.status, fault.headers ?? {}, fault.body ?? '');
    if (fault.kind === 'redirect') return answer(response, 307, { location: fault.to }, '');
    pass(request, response, options.upstream, fault);

    function handOut({ username, password, lifetimeSeconds = 300 }: NonNullable<FaultRegistryOptions['bearer']>): void {
      const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      if (line.headers.authorization !== wanted) return void answer(response, 401, {}, '{"details":"no"}');
      const token = `token-secret-${tokens.length}`;
      tokens.push(token);
      valid.add(token);
      answer(
        response,
        200,
        { 'content-type': 'application/json' },
        JSON.stringify({ token, expires_in: lifetimeSeconds }),
      );
    }
    function challenge(): void {
      const header = `Bearer realm="http://${request.headers.host}/token",service="faults",scope="repository:x:pull"`;
      answer(
        response,
        401,
        { 'www-authenticate': header },
        '{"errors":[{"code":"UNAUTHORIZED","message":"token needed"}]}',
      );
    }
  });
  const isAllowed = ({ headers }: SeenRequest) => valid.has((headers.authorization ?? '').replace(/^Bearer /, ''));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    tokens,
    get faults() {
      return faults;
    },
    expireTokens: () => valid.clear(),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: string,
  fault: RegistryFault | undefined,
): void {
  const [host, port] = upstream.split(':');
  const { authorization: _, ...headers } = request.headers;
  const onward = send({
    host,
    port,
    method: request.method,
    path: request.url,
    headers: { ...headers, host: request.headers.host },
  });
  const breakOff = () => {
    onward.destroy();
    request.socket.destroy();
  };
  onward.on('error', breakOff);
  response.on('close', () => onward.destroy());
  onward.on('response', (reply) => {
    response.writeHead(reply.statusCode ?? 500, reply.headers);
    reply.on('error', breakOff);
    let passed = 0;
    reply.on('data', (piece: Buffer) => {
      const start = passed;
      passed += piece.length;
      if (fault?.kind === 'flip-byte' && start <= fault.at && fault.at < passed) piece[fault.at - start]! ^= 1;
      if ((fault?.kind === 'cut-answer' || fault?.kind === 'hang-answer') && passed > fault.afterBytes) {
        if (start > fault.afterBytes) return;
        const last = piece.subarray(0, fault.afterBytes - start);
        response.write(last, () => fault.kind === 'cut-answer' && breakOff());
        return;
      }
      response.write(piece);
    });
    reply.on('end', () => {
      const isBroken = (fault?.kind === 'hang-answer' || fault?.kind === 'cut-answer') && passed > fault.afterBytes;
      if (!isBroken) response.end();
    });
  });
  let taken = 0;
  request.on('data', (piece: Buffer) => {
    const start = taken;
    taken += piece.length;
    if ((fault?.kind === 'cut-upload' || fault?.kind === 'hang-upload') && taken > fault.afterBytes) {
      if (start > fault.afterBytes) return;
      if (fault.kind === 'hang-upload') return;
      // What was let through reaches the registry, so that there is something to go on from.
      onward.write(piece.subarray(0, fault.afterBytes - start), () => setTimeout(breakOff, 20));
      return;
    }
    onward.write(piece);
  });
  request.on('end', () => onward.end());
}
