import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLimiter, errorMessage, renderYaml } from '../base/index.ts';
import { recreatable } from './content.ts';
import type { PolicyValidator } from './validate.ts';

export interface KyvernoCliOptions {
  /** The program: a path, or a name to be found on the search path. */
  readonly program: string;
  /** All of its environment: no variable of ours, above all no token, is handed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly temporaryDir: string;
  readonly timeoutMs?: number;
}

const maxOutput = 64 * 1024;

/** Asks `kyverno apply FILE` about each policy; its failure is the policy's. */
export function createKyvernoCliValidator(options: KyvernoCliOptions): PolicyValidator {
  // Each is a process of some hundred megabytes.
  const limiter = createLimiter(2);
  return (policy, signal) =>
    limiter.run(async () => {
      signal.throwIfAborted();
      const folder = await mkdtemp(join(options.temporaryDir, 'supercargo-kyverno-'));
      try {
        const file = join(folder, 'policy.yaml');
        await writeFile(file, renderYaml(recreatable(policy)), { mode: 0o600 });
        const { code, output } = await run(options, ['apply', file], signal);
        if (code === 0) return [];
        const last = output.replaceAll(file, 'policy.yaml').trim().split('\n').slice(-3).join(' ').slice(0, 500);
        return [`the Kyverno CLI refuses it (${code ?? 'killed'}): ${last}`];
      } catch (thrown) {
        signal.throwIfAborted();
        return [`the Kyverno CLI could not be run: ${errorMessage(thrown)}; check KYVERNO_CLI`];
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

function run(
  { program, env, timeoutMs = 60_000 }: KyvernoCliOptions,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env,
      signal,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-maxOutput);
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
