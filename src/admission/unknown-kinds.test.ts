import { expect, it } from 'vitest';
import { findUnknownKinds } from './unknown-kinds.ts';

const served = [
  { group: '', version: 'v1', kind: 'Pod' },
  { group: 'apps', version: 'v1', kind: 'Deployment' },
  { group: 'batch', version: 'v1', kind: 'Job' },
];
const rule = (kinds: readonly string[], more: object = {}) => ({ match: { any: [{ resources: { kinds } }] }, ...more });
const found = (...rules: readonly object[]) =>
  findUnknownKinds({ rules }, served).map(({ path, kind }) => `${path} ${kind}`);

it.each([
  'Pod',
  'v1/Pod',
  'apps/v1/Deployment',
  '*/Deployment',
  'Deploy*',
  '*',
  'Pod/status',
  'Pod.status',
  '*/*',
  'Pod/exec',
  'PodExecOptions',
])('takes %s for a kind of the cluster', (kind) => expect(found(rule([kind]))).toEqual([]));

it.each(['Deploymnet', 'apps/v1/Pod', 'pod', 'batch/v2/Job', 'Rollout*'])('reports %s', (kind) => {
  expect(found(rule(['Pod', kind]))).toEqual([`spec.rules[0].match ${kind}`]);
});

it('checks every field that names a kind', () => {
  expect(
    found(
      rule(['Pod'], { exclude: { resources: { kinds: ['Jbo'] } } }),
      rule(['Pod'], { mutate: { targets: [{ apiVersion: 'apps/v1', kind: 'Deploymnet' }, { kind: '{{ x }}' }] } }),
      rule(['Pod'], { generate: { apiVersion: 'v1', kind: 'ConfgMap' } }),
      rule(['Pod'], { generate: { apiVersion: 'batch/v1', kind: 'Job' } }),
    ),
  ).toEqual([
    'spec.rules[0].exclude Jbo',
    'spec.rules[1].mutate.targets apps/v1/Deploymnet',
    'spec.rules[2].generate ConfgMap',
  ]);
});
