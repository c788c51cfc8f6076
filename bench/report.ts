/**
 * Policy reports at the sizes the design names: the API server, the reporter and this program are three processes.
 *
 * npm run bench -- report [--policies 50] [--resources 20000] [--namespaces 20] [--runs 3]
 *   [--restarts 1] [--small | --growth] [--reporter bundle.mjs]…
 *
 * Several bundles of this bench (of other versions, or `this`) are measured in turns, against the same `--program`.
 * The small size is measured `--runs` times; the large one once, for it takes minutes.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { customResourceDefinitions } from '../src/api/index.ts';
import type { KubeObject } from '../src/object/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { Load } from './support/load.ts';
import { podOf } from './support/pods.ts';
import {
  type Measured,
  type ReporterProcess,
  runReporterProcess,
  startReporterProcess,
} from './support/reporter-process.ts';
import { type ServerProcess, startServer } from './support/server-process.ts';

const { values: options } = parseArgs({
  options: {
    policies: { type: 'string', default: '50' },
    resources: { type: 'string', default: '20000' },
    namespaces: { type: 'string', default: '20' },
    growth: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    restarts: { type: 'string', default: '1' },
    program: { type: 'string', default: 'bin/supercargo' },
    reporter: { type: 'string', multiple: true, default: ['this'] },
    child: { type: 'boolean', default: false },
  },
});

interface Size {
  readonly policies: number;
  readonly resources: number;
  readonly namespaces: number;
}

const namespaceName = (i: number) => `team-${String(i).padStart(2, '0')}`;

/** Some pass, some fail, some skip; half derive rules for controllers, as policies about pods do. */
function policyOf(i: number, revision = 0): KubeObject {
  const patterns: readonly object[] = [
    { metadata: { labels: { 'app.kubernetes.io/name': '?*' } } },
    { metadata: { labels: { 'example.com/owner': '?*' } } },
    { spec: { containers: [{ resources: { limits: { memory: '?*', cpu: '?*' } } }] } },
    { spec: { containers: [{ image: '!*:latest' }] } },
    { spec: { '=(hostNetwork)': 'false', containers: [{ securityContext: { runAsNonRoot: true } }] } },
  ];
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {
      name: `bench-policy-${String(i).padStart(3, '0')}`,
      annotations: { 'policies.kyverno.io/category': 'Bench', 'policies.kyverno.io/severity': 'medium' },
    },
    spec: {
      validationFailureAction: 'Audit',
      background: true,
      rules: [
        {
          name: 'check',
          match: { any: [{ resources: { kinds: ['Pod'] } }] },
          validate: { message: `Rule of policy ${i}, revision ${revision}`, pattern: patterns[i % patterns.length] },
        },
      ],
    },
  };
}

async function prepare(server: ServerProcess, load: Load, { resources, policies, namespaces }: Size): Promise<void> {
  const json = (objects: readonly object[]) => objects.map((object) => JSON.stringify(object));
  await load.create(
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    json(customResourceDefinitions('supercargo')),
    4,
  );
  const names = Array.from({ length: namespaces }, (_, i) => namespaceName(i));
  await load.create('/api/v1/namespaces', json(names.map((name) => ({ metadata: { name } }))), 8);
  for (const [n, name] of names.entries()) {
    const own = Array.from({ length: Math.ceil((resources - n) / namespaces) }, (_, i) => podOf(name, i));
    await load.create(`/api/v1/namespaces/${name}/pods`, json(own), 16);
  }
  for (let tries = 0; ; tries++) {
    try {
      await load.get('/apis/kyverno.io/v1/clusterpolicies');
      break;
    } catch (thrown) {
      if (tries > 50) throw thrown;
      await sleep(100);
    }
  }
  await load.create(
    '/apis/kyverno.io/v1/clusterpolicies',
    json(Array.from({ length: policies }, (_, i) => policyOf(i))),
    8,
  );
  console.log(
    `prepared ${resources} pods and ${policies} policies; server at ${Math.round(server.memory().residentMb)} MB`,
  );
}

async function measure(size: Size, bundle: string): Promise<Figure[]> {
  const program = bundle === 'this' ? process.argv[1]! : resolve(bundle);
  const results = size.policies * size.resources;
  const server = await startServer(resolve(options.program), ['--no-simulation', '--features', 'none']);
  const load = new Load(server, 16);
  let reporter: ReporterProcess | undefined;
  const folder = await mkdtemp(join(tmpdir(), 'supercargo-bench-reports-'));
  const checkpoint = join(folder, 'checkpoint');
  try {
    await prepare(server, load, size);
    reporter = await startReporterProcess(server, { checkpoint, program });
    const first = await reporter.untilIdle(results);
    const figures: Figure[] = [
      {
        name: 'until all reports are written',
        unit: 'ms',
        values: [first.wallMs],
        better: 'less',
        // 10,000 results are 1,000 reports, of 50 policies in 20 namespaces.
        ...(results <= 2000 ? { target: 2000 } : results <= 10_000 ? { target: 3000 } : {}),
      },
      { name: 'results scanned a second', unit: '/s', values: [results / (first.scannedMs / 1000)], better: 'more' },
      { name: 'CPU of the first scan and write', unit: 'ms', values: [first.cpuMs], better: 'less' },
      { name: 'objects written', unit: '', values: [first.objects], better: 'less' },
      { name: 'bytes written', unit: 'KB', values: [first.bytes / 1000], better: 'less' },
      { name: 'resident, at rest', unit: 'MB', values: [first.residentMb], better: 'less' },
      { name: 'resident, peak', unit: 'MB', values: [first.peakMb], better: 'less', target: 1024 },
      { name: 'longest turn of the event loop, CPU', unit: 'ms', values: [first.longestTurnMs], better: 'less' },
      { name: 'turns of the event loop, CPU, 99th percentile', unit: 'ms', values: [first.p99TurnMs], better: 'less' },
    ];
    const changed = await reporter.step(async () => {
      const pod = podOf(namespaceName(0), 0);
      const { 'app.kubernetes.io/name': _, ...labels } = pod.metadata.labels ?? {};
      await load.patch(`/api/v1/namespaces/${namespaceName(0)}/pods/${pod.metadata.name}`, {
        metadata: { labels: { ...labels, 'app.kubernetes.io/name': null, 'example.com/owner': 'me' } },
      });
    });
    figures.push(
      {
        name: 'one resource changed: objects written',
        unit: '',
        values: [changed.writes],
        better: 'less',
        target: Math.ceil((size.policies * 2) / 5),
      },
      {
        name: 'one resource changed: CPU per object',
        unit: 'µs',
        values: [(changed.cpuMs * 1000) / Math.max(1, changed.writes)],
        better: 'less',
        target: 5000,
      },
      { name: 'one resource changed: until written', unit: 'ms', values: [changed.wallMs], better: 'less' },
    );
    const policy = await reporter.step(async () => {
      const { metadata, spec } = policyOf(2, 1);
      await load.patch(`/apis/kyverno.io/v1/clusterpolicies/${metadata.name}`, { spec: spec as object });
    });
    figures.push(
      { name: 'one policy changed: objects written', unit: '', values: [policy.writes], better: 'less' },
      { name: 'one policy changed: CPU', unit: 'ms', values: [policy.cpuMs], better: 'less' },
      { name: 'one policy changed: until written', unit: 'ms', values: [policy.wallMs], better: 'less', target: 5000 },
    );
    const peakOf = (name: string, peaks: readonly (number | undefined)[]): Figure[] => {
      const values = peaks.filter((one) => one !== undefined);
      return values.length === 0 ? [] : [{ name, unit: 'MB', values, better: 'less', target: 1024 }];
    };
    figures.push(...peakOf('resident, peak with the checkpoint written', [await reporter.stop()]));
    const { size: checkpointBytes } = await stat(checkpoint);
    // Turn by turn: with the checkpoint, which it replaces when it stops, and without.
    const peaks: (number | undefined)[] = [];
    const kept: Measured[] = [];
    const anew: Measured[] = [];
    for (let turn = 0; turn < Number(options.restarts); turn++) {
      for (const [measured, path] of [
        [kept, checkpoint],
        [anew, undefined],
      ] as const) {
        reporter = await startReporterProcess(server, { checkpoint: path, program });
        measured.push(await reporter.untilIdle(results));
        const peakMb = await reporter.stop();
        if (path !== undefined) peaks.push(peakMb);
      }
    }
    reporter = undefined;
    const figuresOf = (name: string, measured: readonly Measured[], target?: number): Figure[] => [
      {
        name: `${name}: until at rest`,
        unit: 'ms',
        values: measured.map(({ wallMs }) => wallMs),
        better: 'less',
        ...(target === undefined ? {} : { target }),
      },
      { name: `${name}: CPU`, unit: 'ms', values: measured.map(({ cpuMs }) => cpuMs), better: 'less' },
      {
        name: `${name}: objects written`,
        unit: '',
        values: measured.map(({ writes }) => writes),
        better: 'less',
        target: 0,
      },
    ];
    figures.push(
      ...figuresOf('restart', kept, 10_000),
      ...peakOf('restart: resident, peak with the checkpoint read and written', peaks),
      { name: 'restart: size of the checkpoint', unit: 'KB', values: [checkpointBytes / 1000], better: 'less' },
      ...figuresOf('restart without a checkpoint', anew),
    );
    return figures;
  } finally {
    await reporter?.stop();
    await load.close();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

if (options.child) await runReporterProcess();
else {
  const full = {
    policies: Number(options.policies),
    resources: Number(options.resources),
    namespaces: Number(options.namespaces),
  };
  const sizes: Size[] = options.small
    ? []
    : options.growth
      ? [10_000, 100_000, 1_000_000].map((results) => ({ policies: 50, resources: results / 50, namespaces: 20 }))
      : [full];
  const print = (size: Size, bundle: string, figures: readonly Figure[]) =>
    console.log(
      `\n${bundle === 'this' ? '' : `${bundle}: `}${size.policies} policies × ${size.resources} resources; Node ${process.versions.node}\n${renderFigures(figures)}`,
    );
  const small = { policies: 20, resources: 100, namespaces: 1 };
  const merged = new Map<string, Figure[]>();
  for (let run = 0; run < Number(options.runs); run++)
    for (const bundle of options.reporter) {
      const before = merged.get(bundle);
      const figures = await measure(small, bundle);
      merged.set(
        bundle,
        figures.map((figure, i) => ({ ...figure, values: [...(before?.[i]?.values ?? []), ...figure.values] })),
      );
    }
  for (const [bundle, figures] of merged) print(small, bundle, figures);
  for (const size of sizes) for (const bundle of options.reporter) print(size, bundle, await measure(size, bundle));
}
