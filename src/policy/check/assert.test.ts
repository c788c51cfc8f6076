import { expect, it } from 'vitest';
import { checkPolicy } from './index.ts';

const issuesOf = (assert: unknown, context: readonly unknown[] = []) =>
  checkPolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: {
      rules: [{ name: 'r', match: { any: [{ resources: { kinds: ['Pod'] } }] }, context, validate: { assert } }],
    },
  }).map(({ code, path, severity }) => ({ code, path, severity }));

it('a tree may use the context, the names around and beside it, and what a let binds', () => {
  const tree = {
    'object->o': {
      '~i.(spec.containers)->all': { name: '(at($names, $i))', '(length($all))': '(length($o.spec.containers))' },
      'metadata->m': {},
      spec: { '($m.name)': 'x', '(let $a = $names in map(&[@, $a, $o], spec || `[]`))': [] },
    },
    '(operation)': 'CREATE',
    '\\resourceKind\\': {},
  };
  expect(issuesOf(tree, [{ name: 'names', variable: { value: ['a'] } }])).toEqual([]);
});

it('a key that is never found is pointed out, since the rule would fail whatever it is given', () => {
  const place = (key: string) => `spec.rules[0].validate.assert.${key}`;
  expect(issuesOf({ object: {}, any: [{ check: {} }], '~.spec': {} })).toEqual([
    { code: 'policy-field-value', path: place('any'), severity: 'warning' },
    { code: 'policy-field-value', path: 'spec.rules[0].validate.assert["~.spec"]', severity: 'warning' },
  ]);
});
