import { expect, test } from 'vitest';
import { compileException, confineException } from './exceptions.ts';

const compiled = (policyName: string) =>
  compileException({
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: { name: 'e', namespace: 'shop' },
    spec: {
      exceptions: [{ policyName, ruleNames: ['*'] }],
      match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
    },
  }).program!;

test('an exception that is confined to a namespace covers only policies of that namespace', () => {
  const policy = (name: string) => {
    const namespace = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
    return { form: 'rules' as const, policy: {} as never, name, namespace };
  };
  for (const name of ['cluster-policy', 'other/policy', 'shop-2/policy']) {
    expect(compiled(name).covers(policy(name), 'r')).toBe(true);
    expect(confineException(compiled(name), 'shop')).toMatchObject({ key: 'shop/e' });
    expect((confineException(compiled(name), 'shop') as ReturnType<typeof compiled>).covers(policy(name), 'r')).toBe(
      false,
    );
  }
  const own = confineException(compiled('shop/policy'), 'shop') as ReturnType<typeof compiled>;
  expect(own.covers(policy('shop/policy'), 'r')).toBe(true);
});
