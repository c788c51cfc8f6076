import { execFile, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Child, startChild } from './child.ts';
import { eventually } from './wait.ts';

/**
 * Namespaces for the programs of a node: network, mounts and processes. When its first process ends, the kernel ends all
 * others and removes every mount, bridge and link in it. That process ends with this one, whose pipe it reads.
 */
export interface NodeNamespace {
  /** This machine's address, as seen by the node. */
  readonly hostAddress: string;
  readonly address: string;
  readonly podCidr: string;
  /** The name of this machine's end of the link to the node. */
  readonly link: string;
  /** Starts a program in the namespaces. */
  start(name: string, binary: string, args: readonly string[], logFile: string): NodeChild;
  run(command: string, args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export interface NodeChild extends Child {
  signal(name: NodeJS.Signals): void;
}

const execute = promisify(execFile);

/** bash reaps adopted processes, which the first process of a namespace has to do. */
const firstProcess = `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /var/lib/cni
mount -t tmpfs tmpfs /var/lib/cni
mount --make-rshared /
ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
echo started
while read -r _; do :; done
`;

export async function openNodeNamespace(): Promise<NodeNamespace> {
  const options: SpawnOptions = { stdio: ['pipe', 'pipe', 'pipe'] };
  const args = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', firstProcess];
  const holder = spawn('unshare', args, options);
  let [started, complaint] = [false, ''];
  holder.stdout?.on('data', () => {
    started = true;
  });
  holder.stderr?.on('data', (text) => {
    complaint += text;
  });
  const ended = new Promise<void>((resolve) => holder.once('close', () => resolve()).once('error', () => resolve()));
  let link: string | undefined;
  const stop = async () => {
    holder.stdin?.end();
    holder.kill('SIGKILL');
    await ended;
    // The kernel removes the link together with the namespace, but not at once.
    if (link !== undefined) await execute('ip', ['link', 'delete', link]).catch(() => undefined);
  };
  try {
    const first = await eventually(() => {
      if (holder.exitCode !== null) return undefined;
      if (!started) throw new Error('the namespaces are not ready');
      return childOf(holder.pid ?? 0);
    });
    if (first === undefined) throw new Error(`no namespaces for a node: ${complaint.trim()}`);
    const enter = ['--target', `${first}`, '--net', '--mount', '--pid'];
    const run = async (command: string, commandArgs: readonly string[]) =>
      (await execute('nsenter', [...enter, '--', command, ...commandArgs])).stdout;
    const number = await freeNumber();
    link = `scnode${number}`;
    const [hostAddress, address] = [`10.213.${number}.1`, `10.213.${number}.2`];
    const podCidr = `10.214.${number}.0/24`;
    await execute('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'uplink', 'netns', `${first}`]);
    await execute('ip', ['address', 'add', `${hostAddress}/24`, 'dev', link]);
    await execute('ip', ['link', 'set', link, 'up']);
    await run('ip', ['address', 'add', `${address}/24`, 'dev', 'uplink']);
    await run('ip', ['link', 'set', 'uplink', 'up']);
    await run('ip', ['route', 'add', 'default', 'via', hostAddress]);
    await execute('ip', ['route', 'add', podCidr, 'via', address]);
    const start: NodeNamespace['start'] = (name, binary, programArgs, logFile) => {
      const child = startChild(name, 'nsenter', [...enter, '--', binary, ...programArgs], logFile);
      const signal = (one: NodeJS.Signals) => {
        // nsenter passes no signal on: the program itself is its child.
        const inner = childOf(child.pid);
        if (inner !== undefined) process.kill(inner, one);
      };
      const end = async (graceMs?: number) => {
        signal('SIGTERM');
        const inner = childOf(child.pid);
        await eventually(
          () => {
            if (inner !== undefined && isAlive(inner)) throw new Error(`${name} still runs`);
          },
          { timeoutMs: graceMs ?? 30_000 },
        ).catch(() => signal('SIGKILL'));
        await child.stop();
      };
      return { ...child, signal, stop: end };
    };
    return { hostAddress, address, podCidr, link, start, run, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function childOf(pid: number): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A number whose networks nobody uses: several nodes may run on one machine. */
async function freeNumber(): Promise<number> {
  const { stdout } = await execute('ip', ['route']);
  for (let tries = 0; tries < 100; tries++) {
    const number = Math.floor(Math.random() * 256);
    if (!stdout.includes(`10.213.${number}.`) && !stdout.includes(`10.214.${number}.`)) return number;
  }
  throw new Error('no free network for a node');
}
