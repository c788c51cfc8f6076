import { spawn } from 'node:child_process';
import { type Clock, isJsonObject, parseJson } from '../base/index.ts';
import { bearer, type CredentialSource, type Credentials, KubeConfigError } from './credentials.ts';

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint?: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

interface ExecOptions {
  readonly clock: Clock;
  /** The environment that the plugin inherits. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `spec.cluster` of the ExecCredential, for plugins with `provideClusterInfo`. */
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly hasTerminal?: boolean;
  readonly timeoutMs?: number;
}

export const execApiVersions: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

// Long enough for a person to log in with a browser.
const defaultTimeoutMs = 5 * 60_000;
const maxOutputBytes = 1 << 20;

/**
 * Credentials from a plugin's standard output, kept until they expire or the server rejects them. The plugin runs
 * without a shell, and never twice at once, because it may be interactive.
 */
export function execCredentials(plugin: ExecPlugin, options: ExecOptions): CredentialSource {
  let known: { readonly credentials: Credentials; readonly expiresAtMs: number } | undefined;
  let running: Promise<Credentials> | undefined;

  const refresh = async (): Promise<Credentials> => {
    try {
      known = parseExecCredential(await runPlugin(plugin, options), plugin);
      return known.credentials;
    } finally {
      running = undefined;
    }
  };

  return {
    current() {
      if (known !== undefined && options.clock.now() < known.expiresAtMs) return known.credentials;
      // Not bound to one caller's signal: others wait for the same run.
      running ??= refresh();
      return running;
    },
    rejected(credentials) {
      if (known?.credentials === credentials) known = undefined;
      return true;
    },
  };
}

/** Parses an ExecCredential; errors never quote it. */
export function parseExecCredential(
  output: string,
  plugin: Pick<ExecPlugin, 'apiVersion' | 'command'>,
): { credentials: Credentials; expiresAtMs: number } {
  const wrong = (what: string) =>
    new KubeConfigError('kube-exec-bad-output', `the credential plugin ${plugin.command} ${what}`);
  let value: unknown;
  try {
    value = parseJson(output);
  } catch {
    // The cause is left out: a parser quotes its input, which may be a token.
    throw wrong('did not print an ExecCredential as JSON');
  }
  if (!isJsonObject(value) || value['kind'] !== 'ExecCredential') throw wrong('did not print an ExecCredential');
  if (value['apiVersion'] !== plugin.apiVersion) {
    throw wrong(`printed an ExecCredential of another version than ${plugin.apiVersion}`);
  }
  const status = value['status'];
  if (!isJsonObject(status)) throw wrong('printed no status');
  const [token, certificate, key] = ['token', 'clientCertificateData', 'clientKeyData'].map((name) => {
    const field = status[name];
    return typeof field === 'string' && field !== '' ? field : undefined;
  });
  if (token === undefined && certificate === undefined && key === undefined) {
    throw wrong('printed neither a token nor a client certificate');
  }
  if ((certificate === undefined) !== (key === undefined)) throw wrong('printed a certificate or a key, but not both');
  return {
    credentials: { authorization: token === undefined ? undefined : bearer(token), certificate, key },
    expiresAtMs: expiryOf(status['expirationTimestamp'], wrong),
  };
}

function expiryOf(value: unknown, wrong: (what: string) => Error): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw wrong('printed an expirationTimestamp that is no RFC 3339 time');
  return ms;
}

async function runPlugin(plugin: ExecPlugin, options: ExecOptions): Promise<string> {
  const { hasTerminal = false, timeoutMs = defaultTimeoutMs } = options;
  if (plugin.interactiveMode === 'Always' && !hasTerminal) {
    throw new KubeConfigError(
      'kube-exec-needs-terminal',
      `the credential plugin ${plugin.command} requires a terminal (interactiveMode: Always) and there is none`,
    );
  }
  const isInteractive = hasTerminal && plugin.interactiveMode !== 'Never';
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { ...(plugin.provideClusterInfo ? { cluster: options.cluster } : {}), interactive: isInteractive },
  };
  const env: Record<string, string | undefined> = { ...options.env };
  for (const { name, value } of plugin.env) env[name] = value;
  env['KUBERNETES_EXEC_INFO'] = JSON.stringify(info);

  return await new Promise<string>((resolve, reject) => {
    const failed = (what: string, cause?: unknown) => {
      const hint = plugin.installHint ? `; ${plugin.installHint.trim()}` : '';
      const message = `the credential plugin ${plugin.command} ${what}${hint}`;
      reject(new KubeConfigError('kube-exec-failed', message, { retry: 'backoff', cause }));
    };
    const child = spawn(plugin.command, plugin.args, {
      env,
      shell: false,
      windowsHide: true,
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    let size = 0;
    let stderrText = '';
    const cancelTimer = options.clock.after(timeoutMs, () => {
      child.kill('SIGKILL');
      failed(`did not finish within ${timeoutMs} ms`);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxOutputBytes) output.push(chunk);
      else child.kill('SIGKILL');
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderrText.length < 2000) stderrText += chunk.toString('utf8');
    });
    child.on('error', (thrown) => {
      cancelTimer();
      failed('could not be started', thrown);
    });
    child.on('close', (code, signal) => {
      cancelTimer();
      if (size > maxOutputBytes) failed(`printed more than ${maxOutputBytes} bytes`);
      else if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else failed(`failed with ${code === null ? signal : `exit status ${code}`}${lastStderrLine(stderrText)}`);
    });
  });
}

/** The last line of a plugin's standard error, without anything that looks like a secret. */
function lastStderrLine(stderrText: string): string {
  const line = stderrText.trim().split('\n').at(-1)?.trim() ?? '';
  const safe = line.replace(/[A-Za-z0-9+/=_.-]{32,}/g, '[redacted]').slice(0, 200);
  return safe === '' ? '' : `: ${safe}`;
}
