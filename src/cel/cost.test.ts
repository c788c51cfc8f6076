import { expect, it } from 'vitest';
import { kubernetesEnvironment } from './kubernetes.ts';
import { policyLanguage } from './kyverno-policies.ts';
import { CelBytes, CelDouble, CelError, CelOptional, CelUint, none } from './values/values.ts';

/** Whatever its type says, an argument may be any value: one that is dynamic is known only when it is evaluated. */
const values = [
  undefined,
  null,
  true,
  -1,
  2n ** 63n - 1n,
  new CelUint(1n),
  new CelDouble(1),
  'text',
  new CelBytes(new Uint8Array(3)),
  [1, ['a']],
  { a: 1 },
  new CelOptional('text'),
  none,
  new CelError('no such thing'),
];
const pairs = values.flatMap((first) => values.map((second) => [first, second] as const));

it.each([
  ['Kubernetes', kubernetesEnvironment],
  ['policies', policyLanguage('validate', false).environment],
  ['what generates', policyLanguage('generate', true).environment],
])('every function of %s costs a number, whatever it is called with', (_, { functions, costOf }) => {
  let calls = 0;
  for (const { name, overloads } of functions.values()) {
    for (const cost of overloads.flatMap(({ id }) => costOf(name, id) ?? [])) {
      for (const [first, second] of pairs) {
        const known = cost.withSecond?.(second);
        const costs = [cost(first, second, first), typeof known === 'function' ? known(first) : (known ?? 0)];
        for (const each of costs) expect(each, `${name}(${typeof first}, ${typeof second})`).toBeGreaterThanOrEqual(0);
        calls++;
      }
    }
  }
  expect(calls).toBeGreaterThan(5_000);
});
