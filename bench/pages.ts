/**
 * Admission beside the page: `supercargo run` with both, an API server, a client that sends reviews and ten pages that
 * are open, each in a process of its own, while objects of the cluster change. Turns without and with pages alternate.
 *
 * npm run bench -- pages [--runs 5] [--seconds 10] [--rate 300] [--pages 10] [--images 2000] [--changes 20]
 *   [--program bin/supercargo]… [--profile FOLDER]
 *
 * A page holds the stream of changes and reads again what its view shows. Several programs (builds of two states of the
 * tree) run as replicas and are asked in turns.
 */
import { parseArgs } from 'node:util';
import { ownerLabel } from '../src/api/index.ts';
import { type AdmissionProgram, installation, startAdmissionCluster } from './support/admission-program.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import {
  type PageAddress,
  type PageReaders,
  type ReadDone,
  servePageReaders,
  startPageReaders,
} from './support/page-readers.ts';
import { podReview } from './support/pod-security.ts';
import { ReviewLoad } from './support/review-load.ts';
import { shownObjects } from './support/shown-objects.ts';

const readersMode = 'read-pages';
const connections = 32;
/** So many until Node has compiled what is used often. */
const warmUp = 20_000;
const namespaces = 50;

const groups: Readonly<Record<string, readonly [prefix: string, apiVersion: string, kind: string]>> = {
  deployments: ['/apis/apps/v1', 'apps/v1', 'Deployment'],
  pods: ['/api/v1', 'v1', 'Pod'],
  mirroredimages: ['/apis/supercargo.dev/v1alpha1', 'supercargo.dev/v1alpha1', 'MirroredImage'],
  policyreports: ['/apis/wgpolicyk8s.io/v1alpha2', 'wgpolicyk8s.io/v1alpha2', 'PolicyReport'],
  jobs: ['/apis/batch/v1', 'batch/v1', 'Job'],
};

const jobSpec = {
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'scan', image: 'scanner.example/scan:1' }] } },
};

interface Measured {
  readonly path: string;
  readonly program: AdmissionProgram;
  readonly reviews: ReviewLoad;
  readonly readers: PageReaders;
}

if (process.argv.includes(readersMode)) await servePageReaders();
else await measureAll();

async function measureAll(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      runs: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '10' },
      rate: { type: 'string', default: '300' },
      pages: { type: 'string', default: '10' },
      images: { type: 'string', default: '2000' },
      changes: { type: 'string', default: '20' },
      program: { type: 'string', multiple: true, default: ['bin/supercargo'] },
      profile: { type: 'string' },
    },
  });
  const [rate, pages, images] = [Number(options.rate), Number(options.pages), Number(options.images)];
  const durationMs = Number(options.seconds) * 1000;
  const body = Buffer.from(JSON.stringify(podReview));
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
  const { kinds, namespaceOf } = shownObjects({ images, namespaces });
  const figures = new Map<string, number[]>();
  const note = (name: string, value: number) => figures.set(name, [...(figures.get(name) ?? []), value]);

  const cluster = await startAdmissionCluster(options.program[0]!);
  const { load, server } = cluster;

  /** Before there are webhooks: what is shown need not be what the policies allow. */
  async function fill(): Promise<void> {
    const spaces = Array.from({ length: namespaces }, (_, i) => JSON.stringify({ metadata: { name: namespaceOf(i) } }));
    await load.create('/api/v1/namespaces', spaces, 4);
    for (const [resource, [count, make]] of Object.entries(kinds)) {
      const [prefix, apiVersion, kind] = groups[resource]!;
      const byPath = new Map<string, string[]>();
      for (let i = 0; i < count; i++) {
        const object = make(i) as { readonly metadata: { readonly namespace?: string }; readonly spec?: object };
        const { resourceVersion: _, uid: __, ...metadata } = object.metadata as Readonly<Record<string, unknown>>;
        const within = object.metadata.namespace;
        const path = `${prefix}/${within === undefined ? '' : `namespaces/${within}/`}${resource}`;
        const labels = {
          ...(metadata['labels'] as object | undefined),
          [ownerLabel]: installation,
          app: `service-${i}`,
        };
        const text = JSON.stringify({
          ...object,
          apiVersion,
          kind,
          metadata: { ...metadata, labels },
          ...(resource === 'deployments' ? { spec: deploymentSpec(object.spec!, labels) } : {}),
          ...(resource === 'jobs' ? { spec: jobSpec } : {}),
        });
        byPath.set(path, [...(byPath.get(path) ?? []), text]);
      }
      for (const [path, texts] of byPath) await load.create(path, texts, 4);
    }
  }

  /** As kubelets, the mirror and the reporter write: pods, copies and reports change in turns. */
  async function changeObjects(perSecond: number, signal: AbortSignal): Promise<void> {
    const start = performance.now();
    for (let i = 0; !signal.aborted; i++) {
      const restarts = {
        name: 'app',
        restartCount: i,
        state: { waiting: { reason: i % 2 ? 'ErrImagePull' : 'Creating' } },
      };
      const [resource, patch] = (
        [
          ['pods', { status: { phase: 'Running', containerStatuses: [restarts] } }],
          ['mirroredimages', { status: { phase: 'Copying', bytesTotal: 1 << 30, bytesCopied: i } }],
          ['policyreports', { metadata: { annotations: { changed: String(i) } } }],
        ] as const
      )[i % 3]!;
      const [count, make] = kinds[resource]!;
      const { metadata } = make((i * 7) % count) as { readonly metadata: Readonly<Record<string, string | undefined>> };
      const within = metadata['namespace'] === undefined ? '' : `namespaces/${metadata['namespace']}/`;
      const of = resource === 'policyreports' ? '' : '/status';
      await load.patch(`${groups[resource]![0]}/${within}${resource}/${metadata['name']}${of}`, patch);
      const pauseMs = start + ((i + 1) * 1000) / perSecond - performance.now();
      if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs));
    }
  }

  async function start(path: string): Promise<Measured> {
    const program = await cluster.start(path, ['admission', 'dashboard'], profiling);
    const address = { origin: program.page!, token: server.token };
    await hasReadAll(address);
    const readers = await startPageReaders(process.argv[1]!, readersMode, address);
    const reviews = await ReviewLoad.open({ ...program, path: '/validate/fail', body, connections });
    for (let answered = 0; answered < warmUp; ) answered += await reviews.flood(500);
    await turn({ path, program, reviews, readers }, pages, 2_000);
    return { path, program, reviews, readers };
  }

  async function turn({ program, reviews, readers }: Measured, open: number, lastsMs: number) {
    await readers.open(open);
    const beforeMs = program.cpuMs();
    const took = [...(await reviews.pace(rate, lastsMs))].sort((a, b) => a - b);
    const cpuMs = program.cpuMs() - beforeMs;
    const done: ReadDone = await readers.close();
    if (open > 0 && done.answers < open * 2) throw new Error('the pages read nothing');
    return { took, cpuMs, done };
  }

  async function measure(measured: Measured, open: number): Promise<void> {
    const { took, cpuMs, done } = await turn(measured, open, durationMs);
    const of = `${measured.path}, ${open === 0 ? 'no page' : `${open} pages`}`;
    note(`${of}: p50`, took[Math.floor(took.length * 0.5)]!);
    note(`${of}: p99`, took[Math.floor(took.length * 0.99)]!);
    note(`${of}: CPU`, (cpuMs * 1000) / durationMs);
    if (open > 0) note(`${of}: answers read`, (done.answers * 1000) / durationMs);
  }

  const all: Measured[] = [];
  const ended = new AbortController();
  let changing: Promise<void> | undefined;
  try {
    await fill();
    changing = changeObjects(Number(options.changes), ended.signal);
    for (const path of options.program) all.push(await start(path));
    for (let run = 0; run < Number(options.runs); run++)
      for (const measured of all) for (const open of run % 2 ? [pages, 0] : [0, pages]) await measure(measured, open);
  } finally {
    ended.abort();
    await changing;
    for (const { program, reviews, readers } of all) {
      reviews.close();
      await readers.stop();
      await program.stop();
    }
    await cluster.stop();
  }
  const shown = [...figures].map(([name, values]): Figure => {
    if (name.endsWith('CPU')) return { name, values, unit: 'ms/s', better: 'less' };
    if (name.endsWith('read')) return { name, values, unit: '/s', better: 'more' };
    return { name, values, unit: 'ms', better: 'less' };
  });
  console.log(
    `${options.rate} reviews a second, ${images} images, ${options.changes} changes a second; Node ` +
      `${process.versions.node}; best of ${options.runs}\n${renderFigures(shown)}`,
  );
}

async function hasReadAll({ origin, token }: PageAddress): Promise<void> {
  for (const endMs = performance.now() + 120_000; performance.now() < endMs; ) {
    const response = await fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } });
    if (response.ok && ((await response.json()) as { readonly isComplete: boolean }).isComplete) return;
    await new Promise((next) => setTimeout(next, 200));
  }
  throw new Error('the dashboard has not read the cluster');
}

function deploymentSpec(spec: object, labels: object): object {
  const { template } = spec as { readonly template: object };
  return { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } };
}
