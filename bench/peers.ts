/**
 * The same policies on the same pods as whole processes: `supercargo apply` and Kyverno's command, in turns. Both must
 * have the same totals, or the figures mean nothing.
 *
 * npm run bench -- peers [--runs 3] [--pods 3000] [--cel]
 *
 * With `--cel` the policies are the pod-security rules of `bench cel` as ValidatingPolicies.
 *
 * Kyverno comes from the user's cache (SUPERCARGO_KYVERNO=build puts it there). Time, CPU and peak memory are what the
 * kernel counted for the process (wait4), the same way for both.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { renderYaml } from '../src/base/index.ts';
import { convertPolicy } from '../src/convert/index.ts';
import type { PolicyObject } from '../src/policy/index.ts';
import { locateKyverno } from '../test/support/kyverno.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { podSecurityPolicies } from './support/pod-security.ts';
import { podOf } from './support/pods.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    pods: { type: 'string', default: '3000' },
    cel: { type: 'boolean', default: false },
  },
});
const runs = Number(options.runs);
const pods = Number(options.pods);
const classic = ['pod-security.yaml', 'best-practices.yaml'].map((name) => resolve('bench/data/policies', name));

interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly counts: string;
}

/** Runs a command to its end; Python's standard library tells what the kernel counted for it, and for it alone. */
function measure(folder: string, command: readonly string[]): Usage {
  const usage = join(folder, 'usage.json');
  const waiter = `import json, os, subprocess, sys, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(child.pid, 0)
json.dump([(time.monotonic() - start) * 1000, (used.ru_utime + used.ru_stime) * 1000, used.ru_maxrss / 1024], open(sys.argv[1], 'w'))
`;
  const { stdout, stderr, error } = spawnSync('python3', ['-c', waiter, usage, ...command], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (error) throw error;
  const counts = /^pass: (\d+), fail: (\d+), warn: (\d+), error: (\d+), skip: (\d+)/m.exec(stdout);
  if (!counts) throw new Error(`no totals from ${command.join(' ')}: ${stdout.slice(-300)}${stderr.slice(-300)}`);
  const [wallMs = 0, cpuMs = 0, peakMb = 0] = JSON.parse(readFileSync(usage, 'utf8')) as number[];
  return { wallMs, cpuMs, peakMb, counts: counts[0] };
}

function writePods(file: string): string {
  writeFileSync(
    file,
    Array.from({ length: pods }, (_, i) => `---\n${renderYaml(podOf(`team-${i % 50}`, i))}`).join(''),
  );
  return file;
}

function writeValidatingPolicies(file: string): string {
  const converted = podSecurityPolicies.flatMap(
    (policy) => convertPolicy(policy as PolicyObject, { samples: 10 }).converted,
  );
  writeFileSync(file, converted.map(({ policy }) => `---\n${renderYaml(policy)}`).join(''));
  return file;
}

const located = await locateKyverno(process.env, ['command']);
if (!located.kyverno) {
  process.stdout.write(`not compared: ${located.reason}\n`);
} else {
  const { command, version } = located.kyverno;
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-peers-'));
  try {
    const file = writePods(join(folder, 'pods.yaml'));
    const policies = options.cel ? [writeValidatingPolicies(join(folder, 'policies.yaml'))] : classic;
    const ours: Usage[] = [];
    const theirs: Usage[] = [];
    for (let run = 0; run < runs; run++) {
      ours.push(measure(folder, [process.execPath, resolve('bin/supercargo'), 'apply', ...policies, '-r', file]));
      theirs.push(measure(folder, [command, 'apply', ...policies, '-r', file]));
    }
    const totals = new Set([...ours, ...theirs].map(({ counts }) => counts));
    if (totals.size > 1) throw new Error(`the totals differ: ${[...totals].join(' against ')}`);
    process.stdout.write(`Kyverno ${version}, ${pods.toLocaleString('en')} pods\n${[...totals][0]}\n`);
    process.stdout.write(`${renderFigures(figuresOf(ours, theirs))}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figuresOf(ours: readonly Usage[], theirs: readonly Usage[]): readonly Figure[] {
  const measures = [
    { of: 'wallMs', name: 'wall clock', unit: 'ms', target: 0.1 },
    { of: 'cpuMs', name: 'CPU time', unit: 'ms', target: 0.1 },
    { of: 'peakMb', name: 'peak resident', unit: 'MB', target: 0.5 },
  ] as const;
  return measures.flatMap(({ of, name, unit, target }): readonly Figure[] => [
    { name: `${name}, supercargo`, unit, better: 'less', values: ours.map((usage) => usage[of]) },
    { name: `${name}, kyverno`, unit, better: 'less', values: theirs.map((usage) => usage[of]) },
    // Of the best of each, not the best of the quotients: a busy moment of theirs would flatter us.
    {
      name: `${name}, ours as a part of theirs`,
      unit: '×',
      better: 'less',
      values: [Math.min(...ours.map((usage) => usage[of])) / Math.min(...theirs.map((usage) => usage[of]))],
      target,
    },
  ]);
}
