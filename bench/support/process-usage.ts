import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ProcessUsage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly stdout: string;
}

/** What Node cannot: wait4 tells what the kernel counted for one process, of its whole life. */
const waiter = `import json, os, subprocess, sys, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(child.pid, 0)
json.dump([(time.monotonic() - start) * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1024, status], open(sys.argv[1], 'w'))
`;

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** How it may end besides 0. */
  readonly mayEndWith?: number;
}

/** Runs a command to its end: its time, CPU and peak memory, counted the same way for every program. */
export async function runMeasured({ file, args, env, input = '', mayEndWith = 0 }: Command): Promise<ProcessUsage> {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-usage-'));
  try {
    const usage = join(folder, 'usage.json');
    const child = spawn('python3', ['-c', waiter, usage, file, ...args], { env: env ?? process.env });
    const [out, complaints]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    child.stdin.end(input);
    await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const complaint = Buffer.concat(complaints).toString().slice(-2000);
    const [wallMs, cpuMs, peakMb, status] = readUsage(usage, complaint);
    if (status !== 0 && status >> 8 !== mayEndWith)
      throw new Error(`${file} ${args.join(' ')} ended with ${status >> 8}: ${complaint}`);
    return { wallMs, cpuMs, peakMb, stdout: Buffer.concat(out).toString() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readUsage(file: string, complaint: string): readonly [number, number, number, number] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as [number, number, number, number];
  } catch (cause) {
    throw new Error(`nothing was measured, which takes python3: ${complaint}`, { cause });
  }
}
