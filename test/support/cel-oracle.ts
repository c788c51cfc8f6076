import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, parseJson, renderJson } from '../../src/base/index.ts';
import {
  CelCompileError,
  compile,
  dynType,
  extendedEnvironment,
  plainEnvironment,
  toOracleForm,
} from './cel-answer.ts';
import { requireVariable } from './skip.ts';

export type Oracle = { readonly path: string } | { readonly path?: never; readonly reason: string };

export interface Question {
  readonly expression: string;
  readonly object: unknown;
  /** With the extensions that Kyverno's policies have. */
  readonly extended?: boolean;
}

/** A value with its types spelled out, an error, or the mistakes of the expression; and what it cost. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: string;
  readonly compile?: string;
  readonly type?: string;
  readonly cost: number;
  readonly unstable?: boolean;
  readonly panics?: boolean;
  readonly nanos?: number;
}

const source = join(process.cwd(), 'test/oracle/cel');

/** The program that evaluates with cel-go in Kubernetes' environment, built into the user's cache. */
export async function locateCelOracle(env: NodeJS.ProcessEnv = process.env): Promise<Oracle> {
  try {
    const hash = createHash('sha256');
    for (const name of (await readdir(source)).sort()) hash.update(await readFile(join(source, name)));
    const cache = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'supercargo');
    const path = join(cache, `cel-oracle-${hash.digest('hex').slice(0, 12)}`);
    const isBuilt = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isBuilt && !env['CI'] && !env['CEL_FUZZ'] && env[requireVariable] !== 'true')
      return { reason: 'cel-go is not in the cache; CEL_FUZZ=1000 builds it, which takes minutes' };
    if (!isBuilt) await build(cache, path);
    return { path };
  } catch (thrown) {
    return { reason: `cel-go cannot be had: ${errorMessage(thrown).split('\n')[0]}` };
  }
}

async function build(cache: string, path: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  try {
    await new Promise<void>((resolve, reject) => {
      execFile('go', ['build', '-trimpath', '-o', temporary, '.'], { cwd: source, timeout: 600_000 }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What cel-go answers; each question is asked `runs` times, to find what depends on the order of a map. */
export async function askCelOracle(
  path: string,
  questions: readonly (Question & { readonly bench?: number })[],
  runs = 1,
): Promise<readonly Answer[]> {
  const input = questions.map((question) => `${renderJson({ ...question, runs })}\n`).join('');
  const output = await new Promise<string>((resolve, reject) => {
    const child = spawn(path, [], { env: { TZ: 'UTC' }, stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(`the oracle ended with ${code}`));
    });
    child.stdin.on('error', reject);
    child.stdin.end(input);
  });
  return output
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as Answer);
}

const variables = new Map([['object', dynType]]);

/** What we answer to the same question. */
export function answerCel({ expression, object, extended }: Question): Answer {
  try {
    const program = compile(expression, { variables, environment: extended ? extendedEnvironment : plainEnvironment });
    const { value, cost } = program.evaluate([object]);
    return { ...toOracleForm(value), cost };
  } catch (thrown) {
    if (!(thrown instanceof CelCompileError)) throw thrown;
    return { compile: thrown.message, cost: 0 };
  }
}
