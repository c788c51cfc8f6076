import { describe, expect, it } from 'vitest';
import {
  compilePolicy,
  createEvaluation,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
  type Phase,
  type PolicyRequest,
} from '../index.ts';

const kinds = ['ConfigMap'];
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'shop' }, data: { a: '1' } };
const request: PolicyRequest = {
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  object,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
};
const found: LookUpAnswer = { ok: true, value: { data: { a: 'good' } } };

const policy = (rules: readonly object[], spec: object = {}) =>
  compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: {
      background: false,
      ...spec,
      rules: rules.map((rule, i) => ({ name: `r${i}`, match: { any: [{ resources: { kinds } }] }, ...rule })),
    },
  }).program!;

/** A rule that reads these ConfigMaps, one after the other. */
const reads = (...names: readonly string[]) => ({
  context: names.map((name) => ({ name, configMap: { name, namespace: 'shop' } })),
  preconditions: { all: names.map((name) => ({ key: `{{ ${name}.data.a }}`, operator: 'Equals', value: 'good' })) },
});
/** The same rule, which does not apply after it has read them. */
const skipped = ({ context, preconditions: { all } }: ReturnType<typeof reads>) => ({
  context,
  preconditions: { all: [...all, { key: 'a', operator: 'Equals', value: 'b' }] },
});
const range = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const passes = { validate: { message: 'm', pattern: { data: { a: '1' } } } };
const mutates = { mutate: { patchStrategicMerge: { metadata: { labels: { seen: 'yes' } } } } };

/** Whether a look-up is ready; the others need a round. */
function run(program: ReturnType<typeof policy>, isReady: (lookUp: LookUp) => boolean, phase: Phase = 'validate') {
  const known = new Map<string, LookUpAnswer>();
  const asked: string[] = [];
  const evaluation = createEvaluation([program], request, {
    phase,
    ready(lookUp, key) {
      if (!isReady(lookUp)) return undefined;
      asked.push(key);
      known.set(key, found);
      return found;
    },
  });
  let rounds = 0;
  for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known)) {
    for (const need of needs) known.set(lookUpKey(need), found);
    rounds++;
  }
  const results = evaluation.results.map(({ rule, status, message }) => ({ rule: rule.name, status, message }));
  return { rounds, asked, results, usedUnits: evaluation.usedUnits };
}

describe('an answer that is ready', () => {
  const rules = [
    { ...reads('one'), ...passes },
    { ...reads('one', 'two'), ...passes },
  ];

  it('suspends no rule, and is asked for once', () => {
    const { rounds, asked, results } = run(policy(rules), () => true);
    expect(rounds).toBe(0);
    expect(asked).toEqual(['one', 'two'].map((name) => lookUpKey({ kind: 'configMap', namespace: 'shop', name })));
    expect(results.map(({ status }) => status)).toEqual(['pass', 'pass']);
  });

  it('spares the work of running a rule twice', () => {
    const once = run(policy(rules), () => true).usedUnits;
    expect(once).toBeGreaterThan(0);
    expect(run(policy(rules), () => false).usedUnits).toBeGreaterThan(once);
  });

  it('is found together with those that are fetched', () => {
    const { rounds, asked, results } = run(policy(rules), (lookUp) => 'name' in lookUp && lookUp.name === 'one');
    expect(rounds).toBe(1);
    expect(asked).toHaveLength(1);
    expect(results.map(({ status }) => status)).toEqual(['pass', 'pass']);
  });
});

describe('the limit of rounds', () => {
  const cases: readonly [string, (count: number) => ReturnType<typeof policy>, Phase][] = [
    ['one rule', (count) => policy([{ ...reads(...range('a', count)), ...passes }]), 'validate'],
    [
      'rules that read the same',
      (count) => policy(Array.from({ length: 3 }, () => ({ ...reads(...range('a', count)), ...passes }))),
      'validate',
    ],
    [
      'rules that wait at the same time',
      (count) =>
        policy([
          { ...reads(...range('a', count)), ...passes },
          { ...reads(...range('b', count)), ...passes },
        ]),
      'validate',
    ],
    [
      'rules of which one applies, which wait for each other',
      (count) =>
        policy(
          [
            { ...skipped(reads(...range('a', 8))), ...passes },
            { ...reads(...range('b', count - 8)), ...passes },
          ],
          { applyRules: 'One' },
        ),
      'validate',
    ],
    [
      'mutations, which wait for each other',
      (count) =>
        policy([
          { ...reads(...range('a', 8)), ...mutates },
          { ...reads(...range('a', 8), ...range('b', count - 8)), ...mutates },
        ]),
      'mutate',
    ],
  ];

  it.each(cases)('does not depend on what is ready: %s', (_, make, phase) => {
    const statuses = [14, 15, 16, 17, 40].map((count) => {
      const program = make(count);
      const fetched = run(program, () => false, phase).results;
      expect(run(program, () => true, phase).results).toEqual(fetched);
      expect(run(program, (lookUp) => 'name' in lookUp && /[02468]$/.test(lookUp.name!), phase).results).toEqual(
        fetched,
      );
      return fetched.some(({ message }) => message.includes('more rounds of look-ups'));
    });
    expect(statuses.at(-1)).toBe(true);
    expect(statuses[0]).toBe(false);
  });
});
