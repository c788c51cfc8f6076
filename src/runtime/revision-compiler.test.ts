import { expect, it } from 'vitest';
import { createRevisionCompiler } from './revision-compiler.ts';

const policy = (metadata: object = {}, message = 'm') => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'p', uid: 'u', ...metadata },
  spec: {
    rules: [
      {
        name: 'r',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: { message, pattern: { spec: { hostPID: false } } },
      },
    ],
  },
});

it('uses what the check has compiled, for the stored object', () => {
  const compiler = createRevisionCompiler();
  expect(compiler.check(policy())).toEqual([]);
  const stored = policy({ resourceVersion: '7', generation: 1 });
  const { program } = compiler.compile(stored);
  expect(program?.policy).toBe(stored);
  expect(program?.rules[0]?.spec).not.toBe(stored.spec.rules[0]);
  // What is kept is used once: nothing else refers to it.
  expect(compiler.compile(stored).program?.rules[0]?.spec).not.toBe(program?.rules[0]?.spec);
});

it.each([
  ['another spec', policy({}, 'another')],
  ['other labels', policy({ labels: { a: 'b' } })],
  ['other annotations', policy({ annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' } })],
  ['another object of the same name', policy({ uid: 'v' })],
])('compiles a stored policy with %s', (_, stored) => {
  const compiler = createRevisionCompiler();
  compiler.check(policy());
  expect(compiler.compile(stored).program?.rules[0]?.spec.validate).toBe(stored.spec.rules[0]!.validate);
});

it('keeps nothing of a policy that cannot run', () => {
  const compiler = createRevisionCompiler();
  const broken = { ...policy(), spec: { rules: [{ name: 'r' }] } };
  expect(compiler.check(broken)).not.toEqual([]);
  expect(compiler.compile(broken).program).toBeUndefined();
});
