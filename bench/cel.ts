/**
 * CEL expressions as policies have them, on the pod of the committed review, compiled once: ours against cel-go with
 * Kubernetes' options in the same run, and all of them together against JSON.parse of the review. Then the pod-security
 * policies of `bench policy`, converted to ValidatingPolicies, as the engine runs them for a review.
 *
 * Everything takes turns, and the best of each is compared: a busy moment of the machine can only make one slower.
 *
 * npm run bench -- cel [--runs 10] [--count 10000]
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CelError, compile, dynType } from '../src/cel/index.ts';
import { convertPolicy } from '../src/convert/index.ts';
import {
  compilePolicy,
  createEvaluation,
  newRequestBudget,
  type PolicyObject,
  type PolicyRequest,
} from '../src/policy/index.ts';
import { askCelOracle, locateCelOracle } from '../test/support/cel-oracle.ts';
import { celExpressions as expressions } from './support/cel-expressions.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { podSecurityPolicies } from './support/pod-security.ts';

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '10' }, count: { type: 'string', default: '10000' } },
});
const runs = Number(options.runs);
const count = Number(options.count);

const text = readFileSync(resolve('bench/data/pod-review.json'), 'utf8');
const { object } = (JSON.parse(text) as { request: { object: unknown } }).request;

const variables = new Map([['object', dynType]]);
const programs = expressions.map((expression) => compile(expression, { variables }));
for (const program of programs) {
  const { value } = program.evaluate([object]);
  if (value instanceof CelError) throw new Error(`${program.expression}: ${value.message}`);
}

function nanosOf(work: () => void, times: number): number {
  for (let i = 0; i < times / 4; i++) work();
  const start = process.hrtime.bigint();
  for (let i = 0; i < times; i++) work();
  return Number(process.hrtime.bigint() - start) / times;
}

const policies = podSecurityPolicies.flatMap(
  (policy) => convertPolicy(policy as PolicyObject, { samples: 10 }).converted,
);
const policyPrograms = policies.map(({ policy }) => compilePolicy(policy).program!);
function review(): void {
  const request = {
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod', resource: 'pods' },
    subresource: '',
    object,
    namespaceLabels: {},
    uid: 'u',
    now: 0,
  } as unknown as PolicyRequest;
  const evaluation = createEvaluation(policyPrograms, request, { phase: 'validate', budget: newRequestBudget() });
  evaluation.advance(new Map());
  if (evaluation.results.some(({ status }) => status !== 'pass')) throw new Error('the review does not pass');
}

const oracle = await locateCelOracle();
if (oracle.path === undefined) process.stderr.write(`cel-go is left out: ${oracle.reason}\n`);

const parsed: number[] = [];
const reviewed: number[] = [];
const rows = expressions.map(() => ({ ours: [] as number[], theirs: [] as number[] }));
const inputs = [object];
for (let run = 0; run < runs; run++) {
  parsed.push(nanosOf(() => void JSON.parse(text), count / 4));
  reviewed.push(nanosOf(review, count / 4));
  for (const [i, program] of programs.entries())
    rows[i]!.ours.push(nanosOf(() => void program.evaluate(inputs), count));
  const theirs = oracle.path
    ? await askCelOracle(
        oracle.path,
        expressions.map((expression) => ({ expression, object, bench: count })),
      )
    : [];
  for (const [i, { nanos = Number.POSITIVE_INFINITY }] of theirs.entries()) rows[i]!.theirs.push(nanos);
}

const least = (values: readonly number[]) => Math.min(...values);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const parse = least(parsed);
const all = sum(rows.map(({ ours }) => least(ours)));
const ratios = rows.flatMap(({ ours, theirs }) => (theirs.length > 0 ? [least(theirs) / least(ours)] : []));

const figures: Figure[] = [
  ...(ratios.length > 0
    ? [
        {
          name: 'against cel-go, geometric mean',
          unit: '×',
          better: 'more',
          values: [Math.exp(sum(ratios.map(Math.log)) / ratios.length)],
          target: 10,
        } as const,
        { name: 'the slowest of them against cel-go', unit: '×', better: 'more', values: [least(ratios)] } as const,
      ]
    : []),
  {
    name: `${expressions.length} expressions against JSON.parse of the review`,
    unit: '×',
    better: 'less',
    values: [all / parse],
    target: 0.6,
  },
  {
    name: `${policyPrograms.length} ValidatingPolicies of pod security against JSON.parse`,
    unit: '×',
    better: 'less',
    values: [least(reviewed) / parse],
    target: 0.6,
  },
  {
    name: `${policyPrograms.length} ValidatingPolicies of pod security`,
    unit: 'µs',
    better: 'less',
    values: reviewed.map((nanos) => nanos / 1000),
  },
  { name: 'JSON.parse of the review', unit: 'µs', better: 'less', values: parsed.map((nanos) => nanos / 1000) },
  { name: `${expressions.length} expressions`, unit: 'µs', better: 'less', values: [all / 1000] },
];
process.stdout.write(`${renderFigures(figures)}\n\n`);
for (const [i, { ours, theirs }] of rows.entries()) {
  const ratio =
    theirs.length === 0
      ? ''
      : `  cel-go ${Math.round(least(theirs))} ns  ${(least(theirs) / least(ours)).toFixed(1)} ×`;
  const shown = (expressions[i] as string).slice(0, 90);
  process.stdout.write(`${Math.round(least(ours)).toString().padStart(6)} ns${ratio}  ${shown}\n`);
}
