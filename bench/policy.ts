/**
 * The policy engine: 17 pod-security rules on one admission review in this process, against JSON.parse of the same
 * text; and `supercargo apply` of those and twenty best practices as users run it, in its own process.
 *
 * npm run bench -- policy [--runs 5] [--pods 10000] [--many 100000] [--program bin/supercargo]…
 *
 * CPU time and peak memory are what the kernel counted for the process. Several programs (builds of two states of the tree)
 * and bare Node take turns. Without --many (0), growth is not measured.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseYamlDocuments, renderYaml } from '../src/base/index.ts';
import type { KubeObject } from '../src/object/index.ts';
import {
  compilePolicy,
  createEvaluation,
  type Known,
  type PolicyProgram,
  type PolicyRequest,
} from '../src/policy/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { podOf } from './support/pods.ts';
import { type ProcessUsage, runMeasured } from './support/process-usage.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    pods: { type: 'string', default: '10000' },
    many: { type: 'string', default: '100000' },
    program: { type: 'string', multiple: true, default: ['bin/supercargo'] },
  },
});
const runs = Number(options.runs);
const data = resolve('bench/data');
const podSecurity = join(data, 'policies/pod-security.yaml');
const bestPractices = join(data, 'policies/best-practices.yaml');

const ofEngine = {
  'rules against JSON.parse': { unit: '×', better: 'less', target: 1 },
  'whole review against JSON.parse': { unit: '×', better: 'less', target: 2.5 },
  'JSON.parse of the review': { unit: 'µs', better: 'less' },
  '17 rules on the review': { unit: 'µs', better: 'less' },
  'node -e 0, CPU': { unit: 'ms', better: 'less' },
  'node -e 0, wall clock': { unit: 'ms', better: 'less' },
} as const satisfies Named;
const ofProgram = {
  'one policy on one manifest, CPU': { unit: 'ms', better: 'less' },
  'one policy on one manifest, wall clock': { unit: 'ms', better: 'less', target: 150 },
  'the same, CPU against node -e 0': { unit: '×', better: 'less', target: 1.5 },
  'the same, wall clock against node -e 0': { unit: '×', better: 'less', target: 1.5 },
  'apply, rules a second, whole process': { unit: '/s', better: 'more' },
  'apply, rules a second of CPU': { unit: '/s', better: 'more' },
  'apply, CPU': { unit: 'ms', better: 'less' },
  'apply, wall clock': { unit: 'ms', better: 'less' },
  'apply, peak resident': { unit: 'MB', better: 'less' },
  'apply, CPU of YAML against a JSON list': { unit: '×', better: 'less', target: 1.4 },
} as const satisfies Named;
type Named = Record<string, Omit<Figure, 'name' | 'values'>>;
const measured = new Map<string, number[]>();
const add = (key: string, value: number) => measured.set(key, [...(measured.get(key) ?? []), value]);
const note = (name: keyof typeof ofEngine, value: number) => add(name, value);
const noteOf = (program: string, name: keyof typeof ofProgram, value: number) => add(`${program}: ${name}`, value);

const empty: Known = new Map();

interface Review {
  readonly request: {
    readonly uid: string;
    readonly kind: PolicyRequest['kind'];
    readonly operation: 'CREATE';
    readonly object: KubeObject;
    readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
  };
}

function requestOf({ request }: Review): PolicyRequest {
  const { uid, kind, operation, object, userInfo } = request;
  return {
    uid,
    kind,
    operation,
    object,
    subresource: '',
    namespaceLabels: {},
    info: { userInfo, roles: [], clusterRoles: [] },
    now: Date.now(),
  };
}

function evaluateAll(programs: readonly PolicyProgram[], request: PolicyRequest): number {
  const evaluation = createEvaluation(programs, request, { phase: 'validate' });
  if (evaluation.advance(empty).length > 0) throw new Error('the rules ask for more than the review');
  return evaluation.results.filter(({ status }) => status === 'pass').length;
}

/** The three take turns, so that all meet the same weather. */
function measureReview(): void {
  const text = readFileSync(join(data, 'pod-review.json'), 'utf8');
  const programs = parseYamlDocuments(readFileSync(podSecurity, 'utf8')).map(({ value }) => {
    const { program: compiled, issues } = compilePolicy(value);
    if (!compiled) throw new Error(JSON.stringify(issues));
    return compiled;
  });
  const parsed = requestOf(JSON.parse(text) as Review);
  const passed = evaluateAll(programs, parsed);
  if (passed !== 17) throw new Error(`${passed} of 17 rules pass on the review`);
  const works = {
    parse: () => JSON.parse(text),
    rules: () => evaluateAll(programs, parsed),
    whole: () => {
      const review = JSON.parse(text) as Review;
      const allowed = evaluateAll(programs, requestOf(review)) === 17;
      return JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: review.request.uid, allowed },
      });
    },
  };
  const microseconds = (work: () => unknown, count: number) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) work();
    return ((performance.now() - start) * 1000) / count;
  };
  for (const work of Object.values(works)) microseconds(work, 5000);
  for (let run = 0; run < runs; run++) {
    // Each the best of several short stretches: whatever else the machine does can only make them longer.
    const least = { parse: Infinity, rules: Infinity, whole: Infinity };
    for (let stretch = 0; stretch < 60; stretch++)
      for (const name of ['parse', 'rules', 'whole'] as const)
        least[name] = Math.min(least[name], microseconds(works[name], 100));
    note('JSON.parse of the review', least.parse);
    note('17 rules on the review', least.rules);
    note('rules against JSON.parse', least.rules / least.parse);
    note('whole review against JSON.parse', least.whole / least.parse);
  }
}

const runNode = (...args: readonly string[]): Promise<ProcessUsage> => runMeasured({ file: process.execPath, args });

function writeList(file: string, count: number): string {
  const items = Array.from({ length: count }, (_, i) => podOf(`team-${i % 50}`, i));
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return file;
}

function writePods(file: string, count: number): string {
  const descriptor = openSync(file, 'w');
  for (let i = 0; i < count; i++) {
    const pod = podOf(`team-${i % 50}`, i) as KubeObject & { readonly spec: Readonly<Record<string, unknown>> };
    writeSync(descriptor, `---\n${renderYaml(pod)}`);
  }
  closeSync(descriptor);
  return file;
}

/** Every rule that spoke, of the totals that the program prints. */
function spoken(stdout: string): number {
  const counts = /^pass: (\d+), fail: (\d+), warn: (\d+), error: (\d+), skip: (\d+)$/m.exec(stdout);
  if (!counts) throw new Error(`no totals in ${stdout.slice(-300)}`);
  return counts.slice(1).reduce((sum, count) => sum + Number(count), 0);
}

async function measureApply(folder: string): Promise<void> {
  const one = writePods(join(folder, 'one.yaml'), 1);
  const policy = join(folder, 'policy.yaml');
  const [first] = readFileSync(bestPractices, 'utf8').split('\n---\n').slice(1);
  writeFileSync(policy, first ?? '');
  const pods = writePods(join(folder, 'pods.yaml'), Number(options.pods));
  const list = writeList(join(folder, 'pods.json'), Number(options.pods));
  for (let run = 0; run < runs; run++) {
    await measureOne(policy, one);
    for (const program of options.program) await measureMany(program, pods, list);
  }
}

/** The least of several turns: whatever else the machine does can only add to them. */
async function measureOne(policy: string, pod: string): Promise<void> {
  const bare: ProcessUsage[] = [];
  const whole = new Map(options.program.map((program) => [program, [] as ProcessUsage[]]));
  for (let turn = 0; turn < 5; turn++) {
    bare.push(await runNode('-e', '0'));
    for (const [program, turns] of whole) turns.push(await runNode(resolve(program), 'apply', policy, '-r', pod));
  }
  const least = (turns: readonly ProcessUsage[], what: 'cpuMs' | 'wallMs') =>
    Math.min(...turns.map((usage) => usage[what]));
  const [cpuMs, wallMs] = [least(bare, 'cpuMs'), least(bare, 'wallMs')];
  note('node -e 0, CPU', cpuMs);
  note('node -e 0, wall clock', wallMs);
  for (const [program, turns] of whole) {
    noteOf(program, 'one policy on one manifest, CPU', least(turns, 'cpuMs'));
    noteOf(program, 'one policy on one manifest, wall clock', least(turns, 'wallMs'));
    noteOf(program, 'the same, CPU against node -e 0', least(turns, 'cpuMs') / cpuMs);
    noteOf(program, 'the same, wall clock against node -e 0', least(turns, 'wallMs') / wallMs);
  }
}

async function measureMany(program: string, pods: string, list: string): Promise<void> {
  const apply = (resources: string) => runNode(resolve(program), 'apply', podSecurity, bestPractices, '-r', resources);
  const usage = await apply(pods);
  const rules = spoken(usage.stdout);
  noteOf(program, 'apply, rules a second, whole process', (rules * 1000) / usage.wallMs);
  noteOf(program, 'apply, rules a second of CPU', (rules * 1000) / usage.cpuMs);
  noteOf(program, 'apply, CPU', usage.cpuMs);
  noteOf(program, 'apply, wall clock', usage.wallMs);
  noteOf(program, 'apply, peak resident', usage.peakMb);
  const ofList = await apply(list);
  if (spoken(ofList.stdout) !== rules) throw new Error('the JSON list has other results');
  noteOf(program, 'apply, CPU of YAML against a JSON list', usage.cpuMs / ofList.cpuMs);
}

/** Time grows with the number of resources, memory does not. */
async function measureGrowth(folder: string): Promise<string> {
  const many = Number(options.many);
  const lines: string[] = [];
  for (const count of [many / 100, many / 10, many]) {
    const file = writePods(join(folder, 'growth.yaml'), count);
    for (const program of options.program) {
      const usage = await runNode(resolve(program), 'apply', podSecurity, bestPractices, '-r', file);
      const each = (usage.cpuMs * 1000) / count;
      lines.push(
        `${program}: ${count.toLocaleString('en').padStart(9)} pods: CPU ${Math.round(usage.cpuMs).toLocaleString('en').padStart(7)} ms, ${each.toFixed(0).padStart(5)} µs each, ${Math.round(usage.peakMb)} MB`,
      );
    }
  }
  return lines.join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
try {
  measureReview();
  await measureApply(folder);
  const figuresOf = (described: Named, prefix: string): readonly Figure[] =>
    Object.entries(described).map(([name, figure]) => ({
      ...figure,
      name: `${prefix}${name}`,
      values: measured.get(`${prefix}${name}`) ?? [],
    }));
  const figures = [
    ...figuresOf(ofEngine, ''),
    ...options.program.flatMap((program) => figuresOf(ofProgram, `${program}: `)),
  ];
  process.stdout.write(`${renderFigures(figures)}\n`);
  if (Number(options.many) > 0) process.stdout.write(`\ngrowth\n${await measureGrowth(folder)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
