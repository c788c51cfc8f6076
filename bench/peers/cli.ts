import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { renderYaml } from '../../src/base/index.ts';
import { convertPolicy } from '../../src/convert/index.ts';
import type { PolicyObject } from '../../src/policy/index.ts';
import { locateKyverno } from '../../test/support/kyverno.ts';
import { podSecurityPolicies } from '../support/pod-security.ts';
import { podOf } from '../support/pods.ts';
import { runMeasured } from '../support/process-usage.ts';
import type { Comparison, Side, Turn, Work } from './comparison.ts';

const classic = ['pod-security.yaml', 'best-practices.yaml'].map((name) => resolve('bench/data/policies', name));

/** The same policies on the same pods as whole processes. Both must have the same totals. */
export const cli: Comparison = {
  name: 'cli',
  grows: true,
  async open({ growth, progress }) {
    progress('Kyverno CLI: a first build takes long');
    const located = await locateKyverno({ ...process.env, SUPERCARGO_KYVERNO: 'build' }, ['command']);
    if (!located.kyverno) return located;
    const { command, version } = located.kyverno;
    const peer = `Kyverno CLI ${version}`;
    const folder = mkdtempSync(join(tmpdir(), 'supercargo-peers-'));
    const validating = validatingPolicies();
    const converted = writeDocuments(join(folder, 'policies.yaml'), validating);
    const work = (policies: readonly string[], count: number, kind: string): Work => {
      const file = writeDocuments(join(folder, `pods-${count}.yaml`), pods(count));
      return {
        title: `\`apply\` of ${kind} on ${count.toLocaleString('en')} pods`,
        peer,
        turn: (side) => apply(side, command, [...policies, '-r', file]),
      };
    };
    const grown = (count: number): Work => ({
      ...work(classic, count, '37 policies'),
      growth: { of: '`apply` of 37 policies, pods', size: count.toLocaleString('en') },
    });
    return {
      works: growth
        ? [1000, 10_000, 100_000].map(grown)
        : [work(classic, 1000, '37 policies'), work([converted], 50, `${validating.length} ValidatingPolicies`)],
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

async function apply(side: Side, kyverno: string, args: readonly string[]): Promise<Turn> {
  const [file, ...first] = side === 'ours' ? [process.execPath, resolve('bin/supercargo')] : [kyverno];
  // 1: some of the pods fail.
  const { stdout, ...usage } = await runMeasured({ file, args: [...first, 'apply', ...args], mayEndWith: 1 });
  const totals = /^pass: \d+, fail: \d+, warn: \d+, error: \d+, skip: \d+/m.exec(stdout);
  if (!totals) throw new Error(`no totals from ${file}: ${stdout.slice(-600)}`);
  return { ...usage, outcome: totals[0] };
}

const pods = (count: number) => Array.from({ length: count }, (_, i) => podOf(`team-${i % 50}`, i));

const validatingPolicies = () =>
  podSecurityPolicies.flatMap((policy) =>
    convertPolicy(policy as PolicyObject, { samples: 10 }).converted.map((result) => result.policy),
  );

function writeDocuments(file: string, documents: readonly object[]): string {
  writeFileSync(file, documents.map((document) => `---\n${renderYaml(document)}`).join(''));
  return file;
}
