import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, parseJson, renderJson } from '../../src/base/index.ts';
import { type Answer, fixture, type TemplateCase } from '../../src/gotemplate/cases/case.ts';

export type GoTemplateOracle = { readonly path: string } | { readonly path?: never; readonly reason: string };

// Every way to run tests, benches and scripts starts in the root; a bundled bench does not know where its source is.
const source = join(process.cwd(), 'test/oracle/gotemplate');

/** The program that renders with Go's own text/template, built into the user's cache; says why when it cannot be had. */
export async function locateGoTemplateOracle(): Promise<GoTemplateOracle> {
  try {
    const hash = createHash('sha256');
    for (const name of (await readdir(source)).sort()) hash.update(await readFile(join(source, name)));
    const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'supercargo');
    const path = join(cache, `template-oracle-${hash.digest('hex').slice(0, 12)}`);
    const isBuilt = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isBuilt) await build(cache, path);
    return { path };
  } catch (thrown) {
    return { reason: `Go's text/template cannot be had: ${errorMessage(thrown).split('\n')[0]}` };
  }
}

async function build(cache: string, path: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  try {
    await new Promise<void>((resolve, reject) => {
      execFile('go', ['build', '-trimpath', '-o', temporary, '.'], { cwd: source, timeout: 300_000 }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What Go answers to each case. */
export async function askGoTemplateOracle(path: string, cases: readonly TemplateCase[]): Promise<Answer[]> {
  const lines = (await run(path, [], cases.map((item) => `${renderTemplateCase(item)}\n`).join(''))).trim().split('\n');
  return lines.map((line) => parseJson(line) as unknown as Answer);
}

/** Nanoseconds that Go takes for one rendering of the case, over `count` of them. */
export async function timeGoTemplateOracle(path: string, item: TemplateCase, count: number): Promise<number> {
  return Number(await run(path, ['bench', `${count}`], renderTemplateCase(item)));
}

/** A case as the program reads it. */
export function renderTemplateCase(item: TemplateCase): string {
  return renderJson(asInput(item));
}

function asInput({ data = fixture, missingKey = 'error', functions = 'all', numbers = 'int', template }: TemplateCase) {
  return { name: 'case', template, data, missingKey, functions, numbers };
}

function run(path: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Dates of the cases are UTC.
    const child = spawn(path, args, { env: { TZ: 'UTC' }, stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new Error(`the oracle ended with ${code}`));
    });
    child.stdin.end(input);
  });
}
