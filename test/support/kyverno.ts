import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, parseJson, renderJson } from '../../src/base/index.ts';

export interface Kyverno {
  /** The command of the pinned version, as its makers publish it. */
  readonly command: string;
  /** Its admission controller. */
  readonly admission: string;
  /** The manifest that installs it in a cluster. */
  readonly manifest: string;
  /** test/oracle/kyverno: the engine behind `kyverno test`, asked case by case. */
  readonly oracle: string;
  readonly version: string;
}
export type Located = { readonly kyverno: Kyverno } | { readonly kyverno?: never; readonly reason: string };

// Every way to run tests, benches and scripts starts in the root; a bundled bench does not know where its source is.
const source = join(process.cwd(), 'test/oracle/kyverno');
const kyvernoModule = 'github.com/kyverno/kyverno';
const buildMs = 3_600_000;

/**
 * Kyverno in the user's cache. It is built there only with `SUPERCARGO_KYVERNO=build`, for a first build compiles some
 * three thousand packages.
 */
export async function locateKyverno(
  env: NodeJS.ProcessEnv = process.env,
  needed: readonly ('command' | 'oracle' | 'admission')[] = ['command', 'oracle'],
): Promise<Located> {
  try {
    const goMod = await readFile(join(source, 'go.mod'), 'utf8');
    const version = /github\.com\/kyverno\/kyverno v(\S+)/.exec(goMod)?.[1] ?? '';
    const hash = createHash('sha256');
    for (const name of (await readdir(source)).filter((file) => /^go\.|\.go$/.test(file)).sort())
      hash.update(await readFile(join(source, name)));
    const cache = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'supercargo');
    const command = join(cache, `kyverno-${version}`);
    const oracle = join(cache, `kyverno-oracle-${version}-${hash.digest('hex').slice(0, 12)}`);
    const admission = join(cache, `kyverno-admission-${version}`);
    const manifest = join(cache, `kyverno-install-${version}.yaml`);
    const packages = {
      command: { path: command, name: `${kyvernoModule}/cmd/cli/kubectl-kyverno` },
      oracle: { path: oracle, name: '.' },
      admission: { path: admission, name: `${kyvernoModule}/cmd/kyverno` },
    };
    for (const { path, name } of needed.map((part) => packages[part])) {
      if (await exists(path)) continue;
      if (env['SUPERCARGO_KYVERNO'] !== 'build')
        return { reason: `no Kyverno ${version} in the cache; SUPERCARGO_KYVERNO=build builds it, which takes long` };
      await mkdir(cache, { recursive: true });
      if (path === admission) await copyManifest(manifest);
      await build(name, path);
    }
    return { kyverno: { command, oracle, admission, manifest, version } };
  } catch (thrown) {
    return { reason: `Kyverno cannot be had: ${errorMessage(thrown).split('\n')[0]}` };
  }
}

const exists = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function build(name: string, path: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  try {
    await go(['build', '-trimpath', '-ldflags', '-s -w', '-o', temporary, name]);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function copyManifest(path: string): Promise<void> {
  const module = parseJson(await go(['mod', 'download', '-json', kyvernoModule])) as { readonly Dir: string };
  await copyFile(join(module.Dir, 'config/install-latest-testing.yaml'), path);
}

function go(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('go', args, { cwd: source, timeout: buildMs, env: { ...process.env, GOWORK: 'off' } }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
}

/** The oracle's response for each case. */
export function askKyverno<Question, Answer>(oracle: string, questions: readonly Question[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(oracle, [], { env: { TZ: 'UTC' }, stdio: ['pipe', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
      if (code === 0 && lines.length === questions.length)
        resolve(lines.map((line) => parseJson(line) as unknown as Answer));
      else reject(new Error(`the oracle ended with ${code} after ${lines.length} of ${questions.length} answers`));
    });
    child.stdin.end(questions.map((question) => `${renderJson(question)}\n`).join(''));
  });
}
