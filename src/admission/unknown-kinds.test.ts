import { describe, expect, it } from 'vitest';
import { findUnknownKinds, renderUnknownKind } from './unknown-kinds.ts';

const served = [
  { group: '', version: 'v1', kind: 'Pod', resource: 'pods', subresources: ['exec', 'status'] },
  { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', subresources: ['scale'] },
  { group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', subresources: [] },
];
const rule = (kinds: readonly string[], more: object = {}) => ({ match: { any: [{ resources: { kinds } }] }, ...more });
const found = (...rules: readonly object[]) =>
  findUnknownKinds({ rules }, served).map(({ path, name }) => `${path} ${name}`);

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

describe('of resource rules', () => {
  const constraints = (...resourceRules: readonly object[]) => ({ matchConstraints: { resourceRules } });
  const resources = (apiGroups: readonly string[], ...names: readonly string[]) =>
    constraints({ apiGroups, apiVersions: ['v1'], resources: names });
  const told = (spec: object) => findUnknownKinds(spec, served).map(renderUnknownKind);

  it.each([
    [
      ['', 'apps'],
      ['pods', 'deployments'],
    ],
    [[''], ['pods/exec', 'pods/*', '*', '*/*', '*/status']],
    [['*'], ['jobs', '*']],
  ])('%j takes %j for resources of the cluster', (groups, names) =>
    expect(told(resources(groups, ...names))).toEqual([]),
  );

  it('names those that no named group and version has', () => {
    expect(told(resources(['apps', 'batch'], 'jobs', 'deploymnets'))).toEqual([
      'spec.matchConstraints.resourceRules[0]: this cluster serves no resource deploymnets of apps/v1, batch/v1: correct its spelling, or install its definition',
    ]);
    const v2 = { apiGroups: ['batch'], apiVersions: ['v2'], resources: ['jobs'] };
    expect(told(constraints({}, v2))).toEqual([expect.stringContaining('resourceRules[1]: this cluster serves no')]);
    expect(told(resources([''], 'pods/exce', 'pod', '*/scale'))).toHaveLength(3);
    expect(told(resources(['no.such.group'], '*'))).toHaveLength(1);
  });

  it('looks at exclusions and targets too', () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['podz'] };
    const spec = {
      matchConstraints: { excludeResourceRules: [rule] },
      targetMatchConstraints: { resourceRules: [rule] },
    };
    expect(findUnknownKinds(spec, served).map(({ path }) => path)).toEqual([
      'spec.matchConstraints.excludeResourceRules[0]',
      'spec.targetMatchConstraints.resourceRules[0]',
    ]);
  });
});
