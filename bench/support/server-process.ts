import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseYaml } from '../../src/base/index.ts';

/** `supercargo up` in its own process, and what the system says of it. */
export interface ServerProcess {
  readonly kubeconfig: string;
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  /** From exec to the ready line, as seen from outside. */
  readonly readyMs: number;
  /** CPU time of the start. */
  readonly readyCpuMs: number;
  /** CPU time spent so far: on a busy machine it says more than the time on the wall. */
  cpuMs(): number;
  memory(): { readonly residentMb: number; readonly peakMb: number };
  stop(): Promise<void>;
}

export async function startServer(program: string, options: readonly string[]): Promise<ServerProcess> {
  // Its own folder: the kubeconfig of a cluster without --dir is at one place per user.
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, 'up', '--no-demo', '-o', 'json', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { kubeconfig } = await readyLine(child);
    const readyMs = performance.now() - startedAt;
    const readyCpuMs = cpuMs(child);
    return {
      kubeconfig,
      ...credentials(kubeconfig),
      readyMs,
      readyCpuMs,
      cpuMs: () => cpuMs(child),
      memory: () => memory(child),
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function readyLine(child: ChildProcess): Promise<{ readonly kubeconfig: string }> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const message = JSON.parse(line) as { readonly event: string; readonly kubeconfig: string };
    if (message.event === 'ready') return message;
  }
  throw new Error('the server ended before it was ready');
}

function credentials(path: string): Pick<ServerProcess, 'url' | 'caPem' | 'token'> {
  const config = parseYaml(readFileSync(path, 'utf8')) as unknown as {
    readonly clusters: readonly [{ readonly cluster: { readonly server: string } & Readonly<Record<string, string>> }];
    readonly users: readonly [{ readonly user: { readonly token: string } }];
  };
  const { cluster } = config.clusters[0];
  return {
    url: cluster.server,
    caPem: Buffer.from(cluster['certificate-authority-data']!, 'base64').toString(),
    token: config.users[0].user.token,
  };
}

/** proc(5): utime and stime are fields 14 and 15, counted in ticks of 10 ms; the name before them may hold spaces. */
function cpuMs({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memory({ pid }: ChildProcess): { residentMb: number; peakMb: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { residentMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}
