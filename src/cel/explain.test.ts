import { describe, expect, it } from 'vitest';
import type { CelStep } from './explain.ts';
import { kyvernoEnvironment } from './kyverno.ts';
import { policyMacros } from './kyverno-policies.ts';
import { compile } from './program.ts';
import { dynType } from './types.ts';
import { CelUnknown } from './values/values.ts';

const environment = { ...kyvernoEnvironment, macros: policyMacros };
const variables = new Map([
  ['object', dynType],
  ['other', dynType],
]);
const object = {
  name: 'web',
  replicas: 3,
  labels: { team: 'a' },
  containers: [
    { name: 'a', image: 'nginx:1' },
    { name: 'b', image: 'nginx:latest' },
    { name: 'c', image: 'busybox:latest' },
  ],
};

const explain = (expression: string, other: unknown = null, costLimit = 100_000) =>
  compile(expression, { environment, variables }).explain([object, other], costLimit);

/** One line for each step. */
function linesOf(steps: readonly CelStep[], indent = ''): readonly string[] {
  return steps.flatMap(({ expression, at, value, start, error, steps: inside = [] }) => [
    `${indent}${at === undefined ? '' : `[${at}] `}${expression} = ${error ?? start ?? JSON.stringify(value)}`,
    ...linesOf(inside, `${indent}  `),
  ]);
}
const partsOf = (expression: string, other?: unknown) => linesOf(explain(expression, other).steps);

describe('the parts of an expression', () => {
  it('are those of operators and calls, without constants and whole objects', () => {
    expect(partsOf("size(object.name) + 1 == object.replicas && object.name in ['a', 'b']")).toEqual([
      'size(object.name) + 1 == object.replicas = false',
      '  size(object.name) + 1 = 4',
      '    size(object.name) = 3',
      '      object.name = "web"',
      '  object.replicas = 3',
    ]);
  });

  it('end with the term that decides, in brackets or not', () => {
    expect(partsOf("(object.replicas > 9 || object.name == 'web' || object.replicas > 1) && !has(object.x)")).toEqual([
      "object.replicas > 9 || object.name == 'web' || object.replicas > 1 = true",
      '  object.replicas > 9 = false',
      '    object.replicas = 3',
      "  object.name == 'web' = true",
      '    object.name = "web"',
      '!has(object.x) = true',
      '  has(object.x) = false',
    ]);
  });

  it('are those of the branch that is taken', () => {
    expect(partsOf("object.replicas > 5 ? object.labels.x : object.labels['team'] + '!'")).toEqual([
      'object.replicas > 5 = false',
      '  object.replicas = 3',
      "object.labels['team'] + '!' = \"a!\"",
      '  object.labels[\'team\'] = "a"',
    ]);
  });

  it('are those of the element that decides', () => {
    expect(partsOf("object.containers.map(c, c.image).all(i, !i.endsWith(':latest'))")).toEqual([
      'object.containers.map(c, c.image) = ["nginx:1","nginx:latest","busybox:latest"]',
      `  object.containers = ${JSON.stringify(object.containers)}`,
      "[1] !i.endsWith(':latest') = false",
      '  i = "nginx:latest"',
      "  i.endsWith(':latest') = true",
    ]);
    expect(partsOf("object.labels.exists(k, v, k == 'team' && v == object.labels[k])").slice(1)).toEqual([
      "[team] k == 'team' && v == object.labels[k] = true",
      '  v = "a"',
      "  k == 'team' = true",
      '  v == object.labels[k] = true',
      '    object.labels[k] = "a"',
    ]);
  });

  it('are all elements where none decides', () => {
    expect(partsOf("object.containers.all(c, c.image != 'x')").slice(1)).toEqual([
      "[0] c.image != 'x' = true",
      "[1] c.image != 'x' = true",
      "[2] c.image != 'x' = true",
    ]);
  });

  it('are those in loops in loops and in values with names', () => {
    const expression =
      "cel.bind(n, object.name + '!', object.containers.exists(c, [1, 2].exists(i, c.image + n == 'x')))";
    expect(partsOf(expression)).toEqual([
      'object.name + \'!\' = "web!"',
      '  object.name = "web"',
      "object.containers.exists(c, [1, 2].exists(i, c.image + n == 'x')) = false",
      `  object.containers = ${JSON.stringify(object.containers)}`,
      ...[0, 1, 2].map((i) => `  [${i}] [1, 2].exists(i, c.image + n == 'x') = false`),
    ]);
    expect(partsOf("object.?labels.optMap(l, l.team + '!').orValue('none') == 'a!'")).toEqual([
      "object.?labels.optMap(l, l.team + '!').orValue('none') = \"a!\"",
      '  object.?labels.optMap(l, l.team + \'!\') = "a!"',
      '    object.?labels = {"team":"a"}',
      '    l.team + \'!\' = "a!"',
      '      l.team = "a"',
    ]);
  });

  it('show errors, and nothing for what is not known', () => {
    expect(partsOf("object.labels.x == 'a' || object.name == 'b'")).toEqual([
      "object.labels.x == 'a' = no such key: x",
      '  object.labels.x = no such key: x',
      "object.name == 'b' = false",
      '  object.name = "web"',
    ]);
    expect(partsOf("other.x == 'a' || object.name == 'web'", new CelUnknown([{ kind: 'x' }]))).toEqual([
      "object.name == 'web' = true",
      '  object.name = "web"',
    ]);
  });

  it('are at most 50, with values of bounded length', () => {
    const count = (steps: readonly CelStep[]): number =>
      steps.reduce((sum, one) => sum + 1 + count(one.steps ?? []), 0);
    const { steps } = explain(Array.from({ length: 80 }, (_, i) => `object.replicas != ${i + 10}`).join(' && '));
    expect(count(steps)).toBe(50);
    const [text] = explain("other == ''", 'x'.repeat(5_000)).steps;
    expect(text).toBeUndefined();
    const [long] = explain("other + 'y' == ''", 'x'.repeat(5_000)).steps;
    expect(long).toEqual({ expression: "other + 'y'", start: `"${'x'.repeat(999)}…` });
    expect(explain('other.map(i, i).size() > 1', Array(3_000).fill(1)).steps[0]?.steps).toEqual([
      { expression: 'other.map(i, i)', start: 'a long list' },
    ]);
  });

  it('end where they cost too much', () => {
    const { steps, cost } = explain("object.name == 'b' || other.exists(i, i == -1)", Array(10_000).fill(1), 1_000);
    expect(linesOf(steps)).toEqual(["object.name == 'b' = false", '  object.name = "web"']);
    expect(cost).toBeGreaterThan(1_000);
    expect(cost).toBeLessThan(2_000);
  });
});
