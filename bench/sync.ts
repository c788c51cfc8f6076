/**
 * A policy sync of many policies: the plan alone, a first run, and a second one to which nothing has changed, against
 * `supercargo up` in its own process and a stand-in of Insights in this one.
 *
 * npm run bench -- sync [--runs 5] [--policies 2000] [--program bin/supercargo]
 */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startInsightsStandIn } from '../src/app/demo/insights-stand-in.ts';
import { createSyncProgram, readSyncConfig } from '../src/app/sync.ts';
import { renderYaml, silentLogger } from '../src/base/index.ts';
import { createDiscovery, createKubeClient, type KubeConnection, staticCredentials } from '../src/kube/index.ts';
import { planSync, policyKindsOf, readIncoming, refOf } from '../src/sync/index.ts';
import { definitions, policy } from '../test/integration/insights/policies.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { startServer } from './support/server-process.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    policies: { type: 'string', default: '2000' },
    program: { type: 'string', default: 'bin/supercargo' },
  },
});
const count = Number(options.policies);
const text = Array.from({ length: count }, (_, i) => `---\n${renderYaml(policy(`policy-${i}`, `message ${i}`))}`).join(
  '',
);

const names = {
  'answer read and planned': { unit: 'ms', better: 'less', target: 1000 },
  'of this, planned': { unit: 'ms', better: 'less' },
  'first run': { unit: 'ms', better: 'less' },
  'unchanged run': { unit: 'ms', better: 'less' },
  'writes of the unchanged run': { unit: '', better: 'less', target: 0 },
  'dry runs of the unchanged run': { unit: '', better: 'less' },
} as const satisfies Record<string, Omit<Figure, 'name' | 'values'>>;
type Measurement = Record<keyof typeof names, number>;

/** The same client, which counts what it is asked to write. */
function counting(client: KubeConnection) {
  const counts = { writes: 0, dryRuns: 0 };
  const note = (resource: string, given?: { readonly dryRun?: boolean | undefined }) => {
    if (resource === 'leases') return;
    if (given?.dryRun) counts.dryRuns++;
    else counts.writes++;
  };
  const counted: KubeConnection = {
    ...client,
    create(type, object, given) {
      note(type.resource, given);
      return client.create(type, object, given);
    },
    replace(type, object, given) {
      note(type.resource, given);
      return client.replace(type, object, given);
    },
    delete(type, key, given) {
      note(type.resource, given);
      return client.delete(type, key, given);
    },
  };
  return { counts, counted };
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

async function measure(): Promise<Measurement> {
  const server = await startServer(resolve(options.program), ['--no-simulation', '--features', 'none']);
  const insights = await startInsightsStandIn();
  const client = createKubeClient({
    name: 'bench',
    server: server.url,
    tls: { ca: server.caPem },
    namespace: 'default',
    credentials: staticCredentials({ authorization: `Bearer ${server.token}` }),
  });
  const { counts, counted } = counting(client);
  const connection = {
    origin: { env: {} },
    client: counted,
    discovery: createDiscovery({ source: client }),
    version: '',
  };
  try {
    const crds = (await connection.discovery.byKind('CustomResourceDefinition'))!;
    for (const definition of definitions) await client.create(crds, definition);
    const program = createSyncProgram({
      config: readSyncConfig(insights.env),
      connection,
      lock: 'lease',
      env: {},
      temporaryDir: tmpdir(),
      log: silentLogger,
      output: { line: () => undefined, diff: () => undefined },
    });
    insights.policies = text;
    const first = await timed(() => program.run(new AbortController().signal));
    if (first.value.applied.length !== count) throw new Error(JSON.stringify(first.value.failed.slice(0, 3)));
    Object.assign(counts, { writes: 0, dryRuns: 0 });
    const second = await timed(() => program.run(new AbortController().signal));
    if (second.value.unchanged !== count) throw new Error('the second run found changes');
    const seen = { ...counts };
    await program.close();

    const kinds = policyKindsOf(await connection.discovery.list());
    const type = kinds.find('kyverno.io/v1', 'ClusterPolicy')!;
    const { items } = await client.list(type);
    const current = new Map(items.map((object) => [refOf(type, object).key, { ref: refOf(type, object), object }]));
    const read = await timed(() => readIncoming(text, kinds));
    const plan = await timed(() => planSync(read.value, current, { maxRemovePercent: 50 }));
    return {
      'answer read and planned': read.ms + plan.ms,
      'of this, planned': plan.ms,
      'first run': first.ms,
      'unchanged run': second.ms,
      'writes of the unchanged run': seen.writes,
      'dry runs of the unchanged run': seen.dryRuns,
    };
  } finally {
    await client.close();
    await insights.stop();
    await server.stop();
  }
}

const measurements: Measurement[] = [];
for (let run = 0; run < Number(options.runs); run++) measurements.push(await measure());
console.log(
  `${count} policies in ${Math.round(text.length / 1000)} KB of YAML; Node ${process.versions.node}; best of ${options.runs}`,
);
const figures = Object.entries(names).map(([name, figure]) => ({
  name,
  ...figure,
  values: measurements.map((measurement) => measurement[name as keyof typeof names]),
}));
console.log(renderFigures(figures));
