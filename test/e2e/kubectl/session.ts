import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { kubectlPath, type ToolRun } from '../../support/kubectl.ts';
import { eventually } from '../../support/wait.ts';
import { type E2eCluster, useCluster } from '../cluster.ts';

/** Arguments as one would type them; an array where an argument holds a space. */
export type Arguments = string | readonly string[];

export interface CallOptions {
  /** Standard input; an object is sent as JSON, several as documents of one stream. */
  readonly input?: string | object | readonly object[];
  readonly env?: Readonly<Record<string, string>>;
}

/** kubectl, bound to a namespace or to none. */
export interface Kubectl {
  readonly namespace: string;
  run(args: Arguments, options?: CallOptions): Promise<ToolRun>;
  /** The standard output of a call that must succeed. */
  ok(args: Arguments, options?: CallOptions): Promise<string>;
  /** The standard error of a call that must fail. */
  fails(args: Arguments, options?: CallOptions): Promise<string>;
  json<T = Found>(args: Arguments): Promise<T>;
  /** Starts a call that goes on until `end`. */
  start(args: Arguments): Started;
  apply(...objects: readonly object[]): Promise<string>;
  /** Writes a file into a folder of this namespace's own and answers its path. */
  file(name: string, content: string | object): string;
}

export interface Started {
  stdout(): string;
  end(): Promise<void>;
}

/** An object as a test hopes to find it. */
export interface Found {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
    readonly [field: string]: unknown;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
  readonly items: readonly Found[];
  readonly [field: string]: unknown;
}

export interface Session {
  readonly cluster: E2eCluster;
  /** kubectl without a namespace of its own. */
  readonly kubectl: Kubectl;
  /** kubectl in a new namespace. */
  inNamespace(labels?: Readonly<Record<string, string>>): Promise<Kubectl>;
  unique(prefix: string): string;
}

/** The real kubectl against one embedded cluster for the whole file. */
export function useSession(): Session {
  const cluster = useCluster(['--job-duration', '0.2']);
  let counter = 0;
  const unique = (prefix: string) => `${prefix}-${++counter}`;
  return {
    cluster,
    unique,
    kubectl: bind(cluster, ''),
    async inNamespace(labels = {}) {
      const namespace = unique('e2e');
      const { status, text } = await cluster.api.post('/api/v1/namespaces', { metadata: { name: namespace, labels } });
      if (status !== 201) throw new Error(`cannot make a namespace: ${text}`);
      return bind(cluster, namespace);
    },
  };
}

function bind(cluster: E2eCluster, namespace: string): Kubectl {
  const scope = namespace === '' ? [] : ['-n', namespace];
  const toList = (args: Arguments) => [...scope, ...(typeof args === 'string' ? args.split(' ') : args)];
  const environment = () => {
    const { home, ready } = cluster.program;
    return { PATH: process.env['PATH'], HOME: home, TMPDIR: home, KUBECONFIG: ready.kubeconfig };
  };
  const run = async (args: Arguments, options: CallOptions = {}) => {
    const binary = await kubectl();
    return new Promise<ToolRun>((resolve, reject) => {
      const child = execFile(
        binary,
        toList(args),
        { env: { ...environment(), ...options.env }, maxBuffer: 64 * 1024 * 1024, timeout: 18_000 },
        (error, stdout, stderr) => {
          if (error && typeof error.code !== 'number')
            reject(new Error(`kubectl ${toList(args).join(' ')} did not end:\n${stdout}${stderr}`, { cause: error }));
          else resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
        },
      );
      child.stdin?.end(renderInput(options.input));
    });
  };
  const ok = async (args: Arguments, options?: CallOptions) => {
    const { exitCode, stdout, stderr } = await run(args, options);
    if (exitCode !== 0) expect.fail(`kubectl ${toList(args).join(' ')} ended with ${exitCode}:\n${stderr}${stdout}`);
    return stdout;
  };
  const file = (name: string, content: string | object) => {
    const folder = path.join(cluster.program.home, 'files', namespace);
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), renderInput(content), { mode: 0o700 });
    return path.join(folder, name);
  };
  return {
    namespace,
    run,
    ok,
    file,
    async fails(args, options) {
      const { exitCode, stdout, stderr } = await run(args, options);
      if (exitCode === 0) expect.fail(`kubectl ${toList(args).join(' ')} succeeded:\n${stdout}${stderr}`);
      return stderr;
    },
    async json<T>(args: Arguments) {
      return JSON.parse(await ok([...(typeof args === 'string' ? args.split(' ') : args), '-o', 'json'])) as T;
    },
    start(args) {
      let output = '';
      const started = kubectl().then((binary) => {
        const child = spawn(binary, toList(args), { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            output += text;
          });
        return { child, gone: new Promise<void>((resolve) => child.once('close', () => resolve())) };
      });
      return {
        stdout: () => output,
        async end() {
          const { child, gone } = await started;
          child.kill('SIGKILL');
          await gone;
        },
      };
    },
    apply: (...objects) => ok('apply -f -', { input: objects }),
  };
}

async function kubectl(): Promise<string> {
  const found = await kubectlPath();
  if (found === undefined) throw new Error('these tests need kubectl');
  return found;
}

function renderInput(input: CallOptions['input']): string {
  if (input === undefined || typeof input === 'string') return input ?? '';
  return [input]
    .flat()
    .map((document) => JSON.stringify(document))
    .join('\n---\n');
}

/** The output of a call once it holds what is expected of it. */
export function eventuallyOk(kubectl: Kubectl, args: Arguments, expected: RegExp): Promise<string> {
  return eventually(
    async () => {
      const output = await kubectl.ok(args);
      expect(output).toMatch(expected);
      return output;
    },
    { intervalMs: 200 },
  );
}

/** The lines of a table as cells, without the header. */
export const rowsOf = (table: string): readonly (readonly string[])[] =>
  table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s{2,}|\s+(?=<)/));
