import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { skipReason } from './skip.ts';

/** True where git and its HTTP backend are installed; says why not. */
export function hasGit(): boolean {
  try {
    execFileSync('git', ['http-backend'], { env: { PATH: process.env['PATH'] ?? '' }, stdio: 'pipe' });
  } catch (thrown) {
    // Without a request it answers an error, but it answers.
    if (
      (thrown as { status?: number }).status !== null &&
      !/not a git command/.test(`${(thrown as { stderr?: Buffer }).stderr}`)
    )
      return true;
    skipReason('tests with Git', 'git with its http-backend is not installed');
    return false;
  }
  return true;
}

const writer = {
  GIT_AUTHOR_NAME: 'other',
  GIT_AUTHOR_EMAIL: 'o@x',
  GIT_COMMITTER_NAME: 'other',
  GIT_COMMITTER_EMAIL: 'o@x',
};
const plainEnvironment = (home: string) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...writer,
});

/** Git as a test uses it by itself: another writer, a reader that is not ours. */
export function plainGit(cwd: string, ...args: string[]): string {
  return plainGitWith({}, cwd, ...args);
}

/** The same with variables of its own: another time, another author. */
export function plainGitWith(variables: Readonly<Record<string, string>>, cwd: string, ...args: string[]): string {
  const env = { ...plainEnvironment(cwd), ...variables };
  return execFileSync('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim();
}

/** The same without stopping everything else in this process. */
export async function plainGitAsync(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, env: plainEnvironment(cwd) });
  return stdout.trim();
}

export function createBareRepository(path: string): void {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path], { stdio: 'pipe' });
  for (const [key, value] of [
    ['http.receivepack', 'true'],
    ['uploadpack.allowFilter', 'true'],
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['receive.denyNonFastForwards', 'true'],
  ] as const) {
    execFileSync('git', ['-C', path, 'config', key, value], { stdio: 'pipe' });
  }
}

export interface GitServer {
  readonly url: string;
  /** Folder of the bare repositories. */
  readonly root: string;
  /** Header values that came in, for tests of what is sent. */
  readonly authorizations: (string | undefined)[];
  /** Answers the next requests itself instead of git; undefined lets them through. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

export interface GitServerOptions {
  readonly credentials?: { readonly user: string; readonly password: string };
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default: loopback. */
  readonly address?: string;
}

/** Smart HTTP, on loopback unless asked otherwise, through `git http-backend`; with credentials it asks for them. */
export async function startGitServer({
  credentials,
  tls,
  address = '127.0.0.1',
}: GitServerOptions = {}): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'supercargo-git-server-'));
  const expected =
    credentials && `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  const authorizations: (string | undefined)[] = [];
  const state: { intercept: GitServer['intercept'] } = { intercept: undefined };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    authorizations.push(request.headers.authorization);
    if (state.intercept?.(request, response)) return;
    if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end('Unauthorized');
    } else runBackend(root, request, response);
  };
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    url: `${tls ? 'https' : 'http'}://${address}:${(server.address() as AddressInfo).port}`,
    root,
    authorizations,
    get intercept() {
      return state.intercept;
    },
    set intercept(value) {
      state.intercept = value;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://x');
  const { headers } = request;
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: headers['content-type'] ?? '',
      REMOTE_USER: 'tester',
      REMOTE_ADDR: '127.0.0.1',
      ...(headers['content-length'] ? { CONTENT_LENGTH: headers['content-length'] } : {}),
      ...(headers['content-encoding'] ? { HTTP_CONTENT_ENCODING: `${headers['content-encoding']}` } : {}),
      ...(headers['git-protocol'] ? { HTTP_GIT_PROTOCOL: `${headers['git-protocol']}` } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => {});
  request.pipe(backend.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on('data', (chunk: Buffer) => {
    if (head === undefined) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const lines = head.subarray(0, end).toString('latin1').split('\r\n');
    const fields = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = Number(fields.find(([name]) => name.toLowerCase() === 'status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name.toLowerCase() !== 'status')));
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  backend.on('close', () => response.end());
}
