/**
 * The embedded cluster as its users meet it: the built program in its own process, over TLS, with a token.
 *
 * npm run bench -- apiserver [--runs 5] [--starts 5] [--pods 30000] [--watchers 20] [--connections 24] [--program bin/supercargo]…
 *
 * With several programs (builds of two states of the tree) their runs take turns, so that both meet the same weather.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, renderFigures } from './support/figures.ts';
import { Load } from './support/load.ts';
import { podOf } from './support/pods.ts';
import { startServer } from './support/server-process.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    starts: { type: 'string', default: '5' },
    pods: { type: 'string', default: '30000' },
    watchers: { type: 'string', default: '20' },
    connections: { type: 'string', default: '24' },
    program: { type: 'string', multiple: true, default: ['bin/supercargo'] },
  },
});
const pods = Number(options.pods);
const connections = Number(options.connections);
const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/pods`;
const bodies = Array.from({ length: pods }, (_, i) => Buffer.from(JSON.stringify(podOf(namespace, i))));

const names = {
  ready: { unit: 'ms', better: 'less', target: 450 },
  'ready, CPU': { unit: 'ms', better: 'less' },
  'ready, resident': { unit: 'MB', better: 'less', target: 120 },
  'creates a second': { unit: '/s', better: 'more', target: 2500 },
  'creates a second of server CPU': { unit: '/s', better: 'more' },
  'first list': { unit: 'ms', better: 'less' },
  'all pods listed': { unit: 'ms', better: 'less', target: 350 },
  'list, server CPU': { unit: 'ms', better: 'less' },
  'list, size': { unit: 'KB', better: 'less' },
  'resident after': { unit: 'MB', better: 'less' },
  'peak resident': { unit: 'MB', better: 'less', target: 350 },
} as const satisfies Record<string, Omit<Figure, 'name' | 'values'>>;
type Measurement = Record<keyof typeof names, number>;

type Start = Pick<Measurement, 'ready' | 'ready, CPU' | 'ready, resident'>;

async function measureStart(program: string): Promise<Start> {
  const server = await startServer(program, []);
  try {
    return { ready: server.readyMs, 'ready, CPU': server.readyCpuMs, 'ready, resident': server.memory().peakMb };
  } finally {
    await server.stop();
  }
}

async function measureLoad(program: string): Promise<Omit<Measurement, keyof Start>> {
  const server = await startServer(program, ['--no-simulation', '--features', 'none']);
  const load = new Load(server, connections);
  const watchers = await Promise.all(
    Array.from({ length: Number(options.watchers) }, () => load.watch(`${path}?watch=true`)),
  );
  try {
    const creates = await measure(server, async () => {
      await load.create(path, bodies, connections);
      await Promise.all(watchers.map((watcher) => watcher.seen(pods)));
    });
    let bytes = 0;
    const list = async () => {
      bytes = await load.get(path);
    };
    const first = await measure(server, list);
    const lists = [await measure(server, list), await measure(server, list), await measure(server, list)];
    const { residentMb, peakMb } = server.memory();
    return {
      'creates a second': (pods * 1000) / creates.wallMs,
      'creates a second of server CPU': (pods * 1000) / creates.cpuMs,
      'first list': first.wallMs,
      'all pods listed': Math.min(...lists.map(({ wallMs }) => wallMs)),
      'list, server CPU': Math.min(...lists.map(({ cpuMs }) => cpuMs)),
      'list, size': bytes / 1000,
      'resident after': residentMb,
      'peak resident': peakMb,
    };
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.close()));
    await load.close();
    await server.stop();
  }
}

async function measure(
  server: { cpuMs(): number },
  work: () => Promise<void>,
): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const cpu = server.cpuMs();
  const start = performance.now();
  await work();
  return { wallMs: performance.now() - start, cpuMs: server.cpuMs() - cpu };
}

const results = new Map<string, Partial<Measurement>[]>(options.program.map((program) => [program, []]));
/** A start takes less time than its variation: many of them take turns. */
for (let run = 0; run < Number(options.starts); run++)
  for (const [program, measurements] of results) measurements.push(await measureStart(resolve(program)));
for (let run = 0; run < Number(options.runs); run++)
  for (const [program, measurements] of results) measurements.push(await measureLoad(resolve(program)));
const meanBytes = Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / pods);
console.log(
  `${pods} pods of ${meanBytes} bytes, ${options.watchers} watchers, ${connections} connections; ` +
    `Node ${process.versions.node}; best of ${options.runs}, of ${options.starts} starts`,
);
for (const [program, measurements] of results) {
  const figures = Object.entries(names)
    .map(([name, figure]) => ({
      name,
      ...figure,
      values: measurements.flatMap((measurement) => measurement[name as keyof typeof names] ?? []),
    }))
    .filter(({ values }) => values.length > 0);
  console.log(`\n${program}\n${renderFigures(figures)}`);
}
