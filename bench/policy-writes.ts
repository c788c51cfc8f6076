/**
 * Writes of policies: `supercargo up` with features against the same cluster without them, in turns. Every policy is
 * written after the one before, by kubectl and by requests of this program; the time ends when the last one is Ready.
 *
 * npm run bench -- policy-writes [--runs 3] [--policies 500] [--many 5000] [--features admission]
 *   [--program bin/supercargo]…
 *
 * CPU time is that of the whole process, API server and features. With several programs (builds of two states of the
 * tree) their runs take turns. The larger number is written once, and not by kubectl.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { customResourceDefinitions } from '../src/api/index.ts';
import type { KubeObject } from '../src/object/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { Load } from './support/load.ts';
import { podSecurityPolicies } from './support/pod-security.ts';
import { startServer } from './support/server-process.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    policies: { type: 'string', default: '500' },
    many: { type: 'string', default: '5000' },
    features: { type: 'string', default: 'admission' },
    program: { type: 'string', multiple: true, default: ['bin/supercargo'] },
  },
});
const policiesPath = '/apis/kyverno.io/v1/clusterpolicies';

function bodies(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const { metadata, ...policy } = podSecurityPolicies[i % podSecurityPolicies.length]!;
    const name = `${metadata.name}-${String(i).padStart(5, '0')}`;
    return JSON.stringify({ ...policy, metadata: { name } });
  });
}

interface Times {
  readonly cpuMs: number;
  readonly writtenMs: number;
  readonly readyMs: number;
}

async function measure(program: string, features: string, count: number, byKubectl = false): Promise<Times> {
  const server = await startServer(program, ['--no-simulation', '--features', features]);
  const load = new Load(server, 4);
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
  try {
    const definitions = customResourceDefinitions('supercargo').map((definition) => JSON.stringify(definition));
    if (features === 'none')
      await load.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitions, 4);
    const ready = await watchReady(load, features === 'none' ? isStored : isReady);
    const texts = bodies(count);
    const file = join(folder, 'policies.json');
    writeFileSync(file, `{"apiVersion":"v1","kind":"List","items":[${texts.join(',')}]}`);
    const [cpuMs, startMs] = [server.cpuMs(), performance.now()];
    if (!byKubectl) await load.create(policiesPath, texts, 1);
    else apply(program, server.kubeconfig, file);
    const writtenMs = performance.now() - startMs;
    await ready.seen(count);
    return { cpuMs: server.cpuMs() - cpuMs, writtenMs, readyMs: performance.now() - startMs };
  } finally {
    await load.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function apply(program: string, kubeconfig: string, file: string): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [program, 'kubectl', '--kubeconfig', kubeconfig, 'apply', '-f', file],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  );
  if (status !== 0) throw new Error(`kubectl failed: ${stderr}`);
}

const isStored = () => true;
const isReady = ({ status }: KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } }) =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** A watch is served a moment after its definition is established. */
async function watchReady(load: Load, isDone: (object: KubeObject) => boolean) {
  const done = new Set<string>();
  let awaited: { readonly count: number; readonly resolve: () => void } | undefined;
  const check = () => {
    if (awaited && done.size >= awaited.count) awaited.resolve();
  };
  const read = (line: string) => {
    const { object } = JSON.parse(line) as { readonly object: KubeObject };
    if (isDone(object)) done.add(object.metadata.name!);
    check();
  };
  for (const endMs = performance.now() + 10_000; ; ) {
    try {
      await load.watchLines(`${policiesPath}?watch=true`, read);
      break;
    } catch (thrown) {
      if (performance.now() > endMs) throw thrown;
      await new Promise((next) => setTimeout(next, 50));
    }
  }
  return {
    seen: (count: number) =>
      new Promise<void>((resolve) => {
        awaited = { count, resolve };
        check();
      }),
  };
}

const results = new Map<string, number[]>();
const note = (name: string, value: number) => results.set(name, [...(results.get(name) ?? []), value]);

async function compare(program: string, count: number, byKubectl = false): Promise<void> {
  const alone = await measure(resolve(program), 'none', count, byKubectl);
  const ours = await measure(resolve(program), options.features, count, byKubectl);
  const of = (what: string) => `${program}: ${count} policies by ${byKubectl ? 'kubectl' : 'requests'}, ${what}`;
  note(of('CPU without, ms'), alone.cpuMs);
  note(of('CPU, ms'), ours.cpuMs);
  note(of('written without, ms'), alone.writtenMs);
  note(of('written, ms'), ours.writtenMs);
  note(of('written, against without'), ours.writtenMs / alone.writtenMs);
  note(of('all Ready, against written without'), ours.readyMs / alone.writtenMs);
}

for (let run = 0; run < Number(options.runs); run++) {
  for (const program of options.program) {
    await compare(program, Number(options.policies), true);
    await compare(program, Number(options.policies));
  }
}
if (Number(options.many) > 0) for (const program of options.program) await compare(program, Number(options.many));

const figures = [...results].map(
  ([name, values]): Figure => ({
    name,
    values,
    better: 'less',
    unit: name.endsWith('ms') ? 'ms' : '×',
    ...(name.includes('by kubectl, all Ready') ? { target: 2 } : {}),
  }),
);
console.log(
  `Node ${process.versions.node}; best of ${options.runs}; features ${options.features}\n${renderFigures(figures)}`,
);
