/**
 * The policy engine: 17 pod-security rules on one admission review in this process, against JSON.parse of the same
 * text; and `supercargo apply` of those and twenty best practices as users run it, in its own process.
 *
 * npm run bench -- policy [--runs 5] [--pods 10000] [--many 100000] [--program bin/supercargo]
 *
 * Peak memory is what the kernel counted for the process (getrusage), by way of Node's own resourceUsage.
 */
import { spawnSync } from 'node:child_process';
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

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    pods: { type: 'string', default: '10000' },
    many: { type: 'string', default: '100000' },
    program: { type: 'string', default: 'bin/supercargo' },
  },
});
const runs = Number(options.runs);
const program = resolve(options.program);
const data = resolve('bench/data');
const podSecurity = join(data, 'policies/pod-security.yaml');
const bestPractices = join(data, 'policies/best-practices.yaml');

const names = {
  'rules against JSON.parse': { unit: '×', better: 'less', target: 1 },
  'whole review against JSON.parse': { unit: '×', better: 'less', target: 2.5 },
  'JSON.parse of the review': { unit: 'µs', better: 'less' },
  '17 rules on the review': { unit: 'µs', better: 'less' },
  'one policy on one manifest, whole process': { unit: 'ms', better: 'less', target: 150 },
  'the same, against node -e 0': { unit: '×', better: 'less', target: 1.5 },
  'apply, rules a second, whole process': { unit: '/s', better: 'more' },
  'apply, rules a second of CPU': { unit: '/s', better: 'more' },
  'apply, wall clock': { unit: 'ms', better: 'less' },
  'apply, peak resident': { unit: 'MB', better: 'less' },
  'apply, CPU of YAML against a JSON list': { unit: '×', better: 'less', target: 1.4 },
} as const satisfies Record<string, Omit<Figure, 'name' | 'values'>>;
type Name = keyof typeof names;
const measured = new Map<Name, number[]>();
const note = (name: Name, value: number) => measured.set(name, [...(measured.get(name) ?? []), value]);

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

interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly stdout: string;
}

/** Runs the program to its end; a hook in it says on a file of its own what the process has used. */
function runProgram(folder: string, args: readonly string[]): Usage {
  const hook = join(folder, 'usage.mjs');
  const usage = join(folder, 'usage.json');
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs';\nprocess.on('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage())));\n`,
  );
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', hook, program, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  const wallMs = performance.now() - start;
  if (status !== 0) throw new Error(`supercargo ${args.join(' ')} ended with ${status}: ${stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.ResourceUsage;
  return { wallMs, cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024, stdout };
}

/** Whole seconds of start and end, without a hook in the way. */
function wallMs(...args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
}

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

function measureApply(folder: string): void {
  const one = writePods(join(folder, 'one.yaml'), 1);
  const policy = join(folder, 'policy.yaml');
  const [first] = readFileSync(bestPractices, 'utf8').split('\n---\n').slice(1);
  writeFileSync(policy, first ?? '');
  const pods = writePods(join(folder, 'pods.yaml'), Number(options.pods));
  const list = writeList(join(folder, 'pods.json'), Number(options.pods));
  for (let run = 0; run < runs; run++) {
    const [bare, whole] = [[] as number[], [] as number[]];
    for (let i = 0; i < 5; i++) {
      bare.push(wallMs('-e', '0'));
      whole.push(wallMs(program, 'apply', policy, '-r', one));
    }
    note('one policy on one manifest, whole process', Math.min(...whole));
    note('the same, against node -e 0', Math.min(...whole) / Math.min(...bare));
    const usage = runProgram(folder, ['apply', podSecurity, bestPractices, '-r', pods]);
    const rules = spoken(usage.stdout);
    note('apply, rules a second, whole process', (rules * 1000) / usage.wallMs);
    note('apply, rules a second of CPU', (rules * 1000) / usage.cpuMs);
    note('apply, wall clock', usage.wallMs);
    note('apply, peak resident', usage.peakMb);
    const ofList = runProgram(folder, ['apply', podSecurity, bestPractices, '-r', list]);
    if (spoken(ofList.stdout) !== rules) throw new Error('the JSON list has other results');
    note('apply, CPU of YAML against a JSON list', usage.cpuMs / ofList.cpuMs);
  }
}

/** Time grows with the number of resources, memory does not. */
function measureGrowth(folder: string): string {
  const many = Number(options.many);
  const lines = [many / 100, many / 10, many].map((count) => {
    const file = writePods(join(folder, 'growth.yaml'), count);
    const usage = runProgram(folder, ['apply', podSecurity, bestPractices, '-r', file]);
    const each = (usage.wallMs * 1000) / count;
    return `${count.toLocaleString('en').padStart(9)} pods: ${Math.round(usage.wallMs).toLocaleString('en').padStart(7)} ms, ${each.toFixed(0).padStart(5)} µs each, ${Math.round(usage.peakMb)} MB`;
  });
  return lines.join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
try {
  measureReview();
  measureApply(folder);
  const figures = (Object.keys(names) as Name[]).map((name) => ({
    name,
    ...names[name],
    values: measured.get(name) ?? [],
  }));
  process.stdout.write(`${renderFigures(figures)}\n\ngrowth\n${measureGrowth(folder)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
