import { describe, expect, it } from 'vitest';
import type { PolicyObject, RuleSpec } from '../types.ts';
import { autogenAnnotation, autogenControllers, autogenRuleNames, expandRules } from './index.ts';

const pods = { any: [{ resources: { kinds: ['Pod'] } }] };
const simple: RuleSpec = { name: 'r', match: pods, validate: { pattern: { metadata: { name: '?*' } } } };

function policy(rules: readonly RuleSpec[], annotation?: string): PolicyObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p', ...(annotation === undefined ? {} : { annotations: { [autogenAnnotation]: annotation } }) },
    spec: { rules },
  };
}

function derivedOf(rule: Partial<RuleSpec>, form: 'template' | 'cronjob'): RuleSpec | undefined {
  return expandRules(policy([{ ...simple, ...rule }])).find(({ autogen }) => autogen === form)?.rule;
}

describe('which rules a policy runs', () => {
  it('puts its own rules first, then two derived rules for each', () => {
    const second = { ...simple, name: 's' };
    expect(expandRules(policy([simple, second])).map(({ name, origin, autogen }) => [name, origin, autogen])).toEqual([
      ['r', 0, undefined],
      ['s', 1, undefined],
      ['autogen-r', 0, 'template'],
      ['autogen-cronjob-r', 0, 'cronjob'],
      ['autogen-s', 1, 'template'],
      ['autogen-cronjob-s', 1, 'cronjob'],
    ]);
  });

  it('cuts derived names at 63 bytes', () => {
    const names = autogenRuleNames(policy([{ ...simple, name: 'n'.repeat(60) }]));
    expect(names).toEqual([`autogen-${'n'.repeat(55)}`, `autogen-cronjob-${'n'.repeat(47)}`]);
  });

  it('leaves own rules that are named like derived ones out, but only when it derives some', () => {
    const leftover = { ...simple, name: 'autogen-old' };
    expect(expandRules(policy([leftover, simple])).map(({ name }) => name)).toEqual([
      'r',
      'autogen-r',
      'autogen-cronjob-r',
    ]);
    expect(expandRules(policy([leftover])).map(({ name }) => name)).toEqual(['autogen-old']);
  });

  it('never changes the policy', () => {
    const frozen = deepFreeze(policy([{ ...simple, exclude: pods, preconditions: { all: [] } }]));
    expect(expandRules(frozen)).toHaveLength(3);
  });
});

describe('the annotation', () => {
  const all = ['CronJob', 'DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'ReplicationController', 'StatefulSet'];
  it.each([
    [undefined, all],
    ['none', []],
    ['', []],
    ['all', all],
    ['Deployment', ['Deployment']],
    ['CronJob', ['CronJob']],
    ['StatefulSet,Deployment,CronJob', ['CronJob', 'Deployment', 'StatefulSet']],
    ['Deployment,Unknown', ['Deployment']],
    ['Deployment, CronJob', ['CronJob', 'Deployment']],
    ['Rollout', ['Rollout']],
    ['none,Deployment', ['Deployment']],
  ])('%s selects %j', (annotation, expected) => {
    expect(autogenControllers(policy([simple], annotation))).toEqual(expected);
  });

  it('decides the kinds that derived rules match', () => {
    const rules = expandRules(policy([simple], 'Deployment,Job'));
    expect(rules.map(({ rule }) => rule.match?.any?.[0]?.resources?.kinds)).toEqual([
      ['Pod'],
      ['apps/v1/Deployment', 'batch/v1/Job'],
    ]);
  });
});

describe('a rule that keeps the whole policy from deriving any', () => {
  it.each<[string, Partial<RuleSpec>]>([
    ['generates', { validate: undefined as never, generate: { kind: 'ConfigMap' } }],
    ['patches by JSON6902', { mutate: { patchesJson6902: '- op: remove' } }],
    ['patches by JSON6902 in a foreach', { mutate: { foreach: [{ patchesJson6902: '- op: remove' }] } }],
    ['matches a name', { match: { resources: { kinds: ['Pod'], name: 'x' } } }],
    ['matches names', { match: { any: [{ resources: { kinds: ['Pod'], names: ['x'] } }] } }],
    ['matches labels', { match: { all: [{ resources: { kinds: ['Pod'], selector: {} } }] } }],
    ['matches annotations', { match: { any: [{ resources: { kinds: ['Pod'], annotations: { a: 'b' } } }] } }],
    ['mixes kinds', { match: { any: [{ resources: { kinds: ['Pod', 'Deployment'] } }] } }],
    ['excludes a name', { exclude: { any: [{ resources: { kinds: ['Pod'], names: ['x'] } }] } }],
    ['is about something else', { match: { any: [{ resources: { kinds: ['Service'] } }] } }],
    ['names the version of Pod', { match: { any: [{ resources: { kinds: ['v1/Pod'] } }] } }],
  ])('%s', (_, rule) => {
    expect(autogenRuleNames(policy([{ ...simple, ...rule }]))).toEqual([]);
  });
});

describe('an assertion tree', () => {
  const assert = { object: { spec: { '(a)': 1 } }, oldObject: '(@)', '(operation)': 'CREATE' };
  const validate = { message: 'm', failureAction: 'Enforce', assert };
  it('moves what it says of the object into the template', () => {
    expect(derivedOf({ validate }, 'template')?.validate).toEqual({
      ...validate,
      assert: { ...assert, object: { spec: { template: { spec: { '(a)': 1 } } } } },
    });
  });

  it('moves it twice for a CronJob', () => {
    expect(derivedOf({ validate }, 'cronjob')?.validate?.assert).toEqual({
      ...assert,
      object: { spec: { jobTemplate: { spec: { template: { spec: { '(a)': 1 } } } } } },
    });
  });

  it('moves the old object, too', () => {
    const old = { oldObject: { metadata: {} } };
    expect(derivedOf({ validate: { assert: old } }, 'template')?.validate?.assert).toEqual({
      oldObject: { spec: { template: { metadata: {} } } },
    });
  });
});

describe('a rule that derives none while others do', () => {
  const other = { ...simple, name: 'other' };
  it.each<[string, Partial<RuleSpec>]>([
    ['matches a controller', { match: { any: [{ resources: { kinds: ['Deployment'] } }] } }],
    ['excludes other kinds', { exclude: { any: [{ resources: { kinds: ['Service'] } }] } }],
    ['verifies manifests', { validate: { manifests: {} } }],
  ])('%s', (_, rule) => {
    expect(autogenRuleNames(policy([other, { ...simple, ...rule }]))).toEqual([
      'autogen-other',
      'autogen-cronjob-other',
    ]);
  });
});

describe('match and exclude of derived rules', () => {
  it('get the kinds in whichever form they are written', () => {
    const rule = derivedOf(
      {
        match: { resources: { kinds: ['Pod'], namespaces: ['a'] } },
        exclude: { all: [{ resources: { kinds: ['Pod'] } }, { resources: { namespaces: ['b'] } }] },
      },
      'template',
    );
    expect(rule?.match?.resources).toMatchObject({
      namespaces: ['a'],
      kinds: expect.arrayContaining(['v1/ReplicationController']),
    });
    expect(rule?.exclude?.all?.map(({ resources }) => resources?.kinds?.length)).toEqual([6, undefined]);
  });

  it('of CronJobs get the kind in every filter', () => {
    const rule = derivedOf({ exclude: { any: [{ resources: { namespaces: ['b'] } }] } }, 'cronjob');
    expect(rule?.exclude?.any).toEqual([{ resources: { namespaces: ['b'], kinds: ['batch/v1/CronJob'] } }]);
  });

  it('leave an exclude without kinds as it is', () => {
    expect(derivedOf({ exclude: { resources: { namespaces: ['b'] } } }, 'template')?.exclude).toEqual({
      resources: { namespaces: ['b'] },
    });
  });
});

describe('the check of derived rules', () => {
  it('wraps a pattern once for templates and twice for CronJobs', () => {
    expect(derivedOf({}, 'template')?.validate).toEqual({
      pattern: { spec: { template: { metadata: { name: '?*' } } } },
    });
    expect(derivedOf({}, 'cronjob')?.validate).toEqual({
      pattern: { spec: { jobTemplate: { spec: { template: { metadata: { name: '?*' } } } } } },
    });
  });

  it('wraps each of anyPattern and keeps the actions', () => {
    const validate = { message: 'm', failureAction: 'Audit', anyPattern: [{ a: 1 }, { b: 2 }] };
    expect(derivedOf({ validate }, 'template')?.validate).toEqual({
      message: 'm',
      failureAction: 'Audit',
      anyPattern: [{ spec: { template: { a: 1 } } }, { spec: { template: { b: 2 } } }],
    });
  });

  it('wraps merge patches and drops targets', () => {
    const mutate = { targets: [{ kind: 'Pod' }], patchStrategicMerge: { spec: { x: 1 } } };
    expect(derivedOf({ validate: undefined as never, mutate }, 'cronjob')?.mutate).toEqual({
      patchStrategicMerge: { spec: { jobTemplate: { spec: { template: { spec: { x: 1 } } } } } },
    });
  });

  it('wraps the patch of each foreach and moves its list', () => {
    const mutate = {
      foreach: [{ list: 'request.object.spec.containers', order: 'Ascending', patchStrategicMerge: { a: 1 } }],
    };
    expect(derivedOf({ validate: undefined as never, mutate } as never, 'template')?.mutate).toEqual({
      foreach: [
        { list: 'request.object.spec.template.spec.containers', patchStrategicMerge: { spec: { template: { a: 1 } } } },
      ],
    });
  });

  it.each([
    ['deny', { conditions: { any: [{ key: '{{ request.object.spec.x }}', operator: 'Equals', value: 1 }] } }],
    ['podSecurity', { level: 'baseline', exclude: [{ controlName: 'Seccomp' }] }],
    ['foreach', [{ list: 'request.object.spec.containers', deny: {} }]],
  ])('keeps %s but for its expressions', (field, value) => {
    const moved = JSON.parse(JSON.stringify(value).replaceAll('object.spec', 'object.spec.template.spec'));
    expect(derivedOf({ validate: { [field]: value } }, 'template')?.validate).toEqual({ [field]: moved });
  });

  it('keeps verifyImages, and drops imageExtractors', () => {
    const rule = derivedOf(
      { validate: undefined as never, verifyImages: [{ imageReferences: ['*'] }], imageExtractors: { Pod: [] } },
      'template',
    );
    expect(rule?.verifyImages).toEqual([{ imageReferences: ['*'] }]);
    expect(rule).not.toHaveProperty('imageExtractors');
  });
});

describe('expressions of derived rules', () => {
  it('are moved in messages, context, preconditions and keys', () => {
    const rule = derivedOf(
      {
        context: [{ name: 'c', variable: { jmesPath: 'request.oldObject.metadata.labels' } }],
        preconditions: { all: [{ key: '{{request.object.metadata.name}}', operator: 'Equals', value: 'x' }] },
        validate: { message: '{{request.object.spec}}', pattern: { '{{request.object.spec.a}}': 1 } },
      },
      'cronjob',
    );
    const inner = 'spec.jobTemplate.spec.template';
    expect(rule?.context?.[0]?.variable?.jmesPath).toBe(`request.oldObject.${inner}.metadata.labels`);
    expect(rule?.preconditions).toMatchObject({ all: [{ key: `{{request.object.${inner}.metadata.name}}` }] });
    expect(rule?.validate?.message).toBe(`{{request.object.${inner}.spec}}`);
    expect(JSON.stringify(rule?.validate?.pattern)).toContain(`{{request.object.${inner}.spec.a}}`);
  });

  it('of CEL say object instead of request.object', () => {
    const validate = { cel: { expressions: [{ expression: 'object.spec.x == oldObject.metadata.name' }] } };
    expect(derivedOf({ validate }, 'template')?.validate?.cel).toEqual({
      expressions: [{ expression: 'object.spec.template.spec.x == oldObject.spec.template.metadata.name' }],
    });
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
