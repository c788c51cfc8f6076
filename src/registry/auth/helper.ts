import { isJsonObject, parseJson, SupercargoError } from '../../base/index.ts';
import type { Credential } from './credentials.ts';

/** Gets the credentials of a server from the program `docker-credential-<helper>`. */
export type HelperRunner = (
  helper: string,
  server: string,
  signal: AbortSignal | undefined,
) => Promise<readonly Credential[]>;

const maxOutputBytes = 1 << 20;
const timeoutMs = 30_000;

/** Starts the helper without a shell. Its output is never quoted in errors. */
export function runHelper(env: Readonly<Record<string, string | undefined>> = {}): HelperRunner {
  return async (helper, server, signal) => {
    const program = `docker-credential-${helper}`;
    const failed = (what: string) =>
      new SupercargoError('registry-credentials', `${program} ${what}; check the docker configuration`, {
        retry: 'backoff',
      });
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(helper))
      throw new SupercargoError(
        'registry-credentials',
        `${JSON.stringify(helper)} is not a valid name of a credential helper`,
      );
    const { code, output } = await start(program, server, env, signal, failed);
    if (/credentials not found|no credentials (?:server|username)/i.test(output)) return [];
    if (code !== 0) throw failed(`failed with exit status ${code}`);
    return [parse(output, program, failed)];
  };
}

function parse(output: string, program: string, failed: (what: string) => Error): Credential {
  let value: unknown;
  try {
    value = parseJson(output);
  } catch {
    throw failed('did not print JSON');
  }
  const { Username: username, Secret: secret } = isJsonObject(value) ? value : {};
  if (typeof username !== 'string' || typeof secret !== 'string') throw failed('printed no Username and Secret');
  return username === '<token>'
    ? { kind: 'identity', token: secret, from: program }
    : { kind: 'basic', username, password: secret, from: program };
}

async function start(
  program: string,
  server: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
  failed: (what: string) => Error,
): Promise<{ readonly code: number | null; readonly output: string }> {
  // Loaded on demand: most copies need no helper.
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(program, ['get'], {
      env,
      shell: false,
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(signal === undefined ? {} : { signal }),
    });
    const pieces: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= maxOutputBytes) pieces.push(piece);
      else child.kill('SIGKILL');
    });
    // Ignore EPIPE: a helper that exits early reports the reason with its exit status.
    child.stdin.on('error', () => undefined);
    child.on('error', (thrown) => reject(signal?.aborted ? signal.reason : startFailure(thrown, failed)));
    child.on('close', (code) =>
      size > maxOutputBytes
        ? reject(failed(`printed more than ${maxOutputBytes} bytes`))
        : resolve({ code, output: Buffer.concat(pieces).toString('utf8') }),
    );
    child.stdin.end(server);
  });
}

const startFailure = (thrown: NodeJS.ErrnoException, failed: (what: string) => Error) =>
  failed(thrown.code === 'ENOENT' ? 'is not on the PATH' : `could not be started (${thrown.code})`);
