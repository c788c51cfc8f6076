import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLimiter, errorMessage, renderYaml } from '../base/index.ts';
import { recreatable } from './content.ts';
import type { PolicyValidator } from './validate.ts';

interface KyvernoCliOptions {
  /** The program: a path, or a name on the PATH. */
  readonly program: string;
  /** The complete environment of the process: none of our variables, in particular no token, is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly temporaryDir: string;
  readonly timeoutMs?: number;
}

const maxOutput = 64 * 1024;

/** `apply` does nothing without a resource. Its result does not matter; it makes the CLI load the policy. */
const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'policy-sync', namespace: 'default' } };

/**
 * Runs `kyverno apply` on each policy and reads its output: the exit code does not distinguish an invalid policy from a
 * violated one.
 */
export function createKyvernoCliValidator(options: KyvernoCliOptions): PolicyValidator {
  // Each is a process of several hundred megabytes.
  const limiter = createLimiter(2);
  return (policy, signal) =>
    limiter.run(async () => {
      signal.throwIfAborted();
      const folder = await mkdtemp(join(options.temporaryDir, 'supercargo-kyverno-'));
      try {
        const file = join(folder, 'policy.yaml');
        await writeFile(file, renderYaml(recreatable(policy)), { mode: 0o600 });
        const resourceFile = join(folder, 'resource.yaml');
        await writeFile(resourceFile, renderYaml(resource), { mode: 0o600 });
        const args = ['apply', file, '--resource', resourceFile, '--remove-color'];
        const { code, output } = await run(options, args, signal);
        const problem = problemIn(output.replaceAll(file, 'policy.yaml'));
        return problem === undefined ? [] : [`the Kyverno CLI refuses it (${code ?? 'killed'}): ${problem}`];
      } catch (thrown) {
        signal.throwIfAborted();
        return [`the Kyverno CLI could not be run: ${errorMessage(thrown)}; check KYVERNO_CLI`];
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

/**
 * The output of `kyverno apply` 1.19 for an invalid policy: it counts no rule if the policy does not fit its schema,
 * lists the policy as skipped or invalid if validation fails, and prints no summary if it ends with an error.
 */
export function problemIn(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  const count = lines.map((line) => /^Applying (\d+) policy rule/.exec(line)?.[1]).find((text) => text !== undefined);
  if (count === '0') return 'it finds no rule in it; a field is unknown or misspelt';
  const section = lines.findIndex((line) => line === 'Policies Skipped:' || line === 'Invalid Policies:');
  if (section >= 0) {
    const end = lines.findIndex((line, index) => index > section && line.startsWith('---'));
    return shorten(lines.slice(section + 1, end < 0 ? undefined : end));
  }
  const hasSummary = lines.some((line) => /^pass: \d+, fail: \d+, /.test(line));
  return count !== undefined && hasSummary ? undefined : shorten(lines.filter((line) => line !== '').slice(-3));
}

const shorten = (lines: readonly string[]) => lines.join(' ').slice(0, 500);

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
