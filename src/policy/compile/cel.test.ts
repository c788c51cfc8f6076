import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { lookUpKey } from '../context/index.ts';
import { createEvaluation } from '../evaluate/evaluation.ts';
import type { PolicyRequest } from '../request.ts';
import type { CelSpec } from '../types.ts';
import { compilePolicy } from './policy.ts';

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'one', namespace: 'team', labels: { app: 'web' } },
  data: { count: '3' },
} as KubeObject;

const request: PolicyRequest = {
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  object,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
};

interface Options {
  readonly rule?: object;
  readonly validate?: object;
  readonly request?: Partial<PolicyRequest>;
  readonly namespaced?: boolean;
}

function policyWith(cel: CelSpec, { rule, validate, namespaced }: Options = {}) {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: namespaced ? 'Policy' : 'ClusterPolicy',
    metadata: { name: 'policy', ...(namespaced ? { namespace: 'team' } : {}) },
    spec: {
      rules: [
        {
          name: 'rule',
          match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
          validate: { cel, ...validate },
          ...rule,
        },
      ],
    },
  };
}

function start(cel: CelSpec, options: Options = {}) {
  const { program, issues } = compilePolicy(policyWith(cel, options));
  if (!program) throw new Error(JSON.stringify(issues));
  return createEvaluation([program], { ...request, ...options.request }, { phase: 'validate', explain: true });
}

function judge(cel: CelSpec, options: Options = {}) {
  const evaluation = start(cel, options);
  expect(evaluation.advance(new Map())).toEqual([]);
  return evaluation.results[0];
}

const one = (expression: string, more: object = {}): CelSpec => ({ expressions: [{ expression, ...more }] });

describe('the message of a denial', () => {
  it('is that of the expression that failed, the first of several', () => {
    const cel = {
      expressions: [{ expression: 'true' }, { expression: 'false', message: ' second ' }, { expression: 'false' }],
    };
    expect(judge(cel)).toMatchObject({ status: 'fail', message: 'second' });
  });

  it('is what messageExpression gives', () => {
    const cel = one('false', { message: 'fixed', messageExpression: "object.metadata.name + ' is bad'" });
    expect(judge(cel)?.message).toBe('one is bad');
  });

  it.each([
    ['fails', 'object.missing'],
    ['has several lines', "'a\\nb'"],
    ['is empty', "'  '"],
    ['does not compile', '1 + 1'],
    ['is too long', `'${'x'.repeat(5200)}'`],
  ])('falls back to the fixed one when messageExpression %s', (_, messageExpression) => {
    expect(judge(one('false', { message: 'fixed', messageExpression }))?.message).toBe('fixed');
  });

  it('is that of the rule, and then the expression itself', () => {
    expect(judge(one('false'), { validate: { message: 'of the rule' } })?.message).toBe('of the rule');
    expect(judge(one(' false '))?.message).toBe('failed expression: false');
  });

  it('is the error of an expression that cannot be evaluated or compiled', () => {
    expect(judge(one("object.data.x == 'a'"))).toMatchObject({
      status: 'fail',
      message: "expression 'object.data.x == 'a'' resulted in error: no such key: x",
    });
    expect(judge(one('object.data.count'))).toMatchObject({
      status: 'fail',
      message: 'compilation error: must evaluate to bool but got dyn',
    });
    expect(judge(one('object.'))?.message).toContain(
      'compilation error: compilation failed: ERROR: <input>:1:8: Syntax error',
    );
  });
});

describe('what expressions see', () => {
  it.each([
    ["request.kind == request.requestKind && request.kind.kind == 'ConfigMap'"],
    ["request.resource.resource == 'configmaps'"],
    ["request.name == 'one' && request.namespace == 'team' && !request.dryRun"],
    ['!has(request.subResource) && !has(request.userInfo.username)'],
    ["namespaceObject.metadata.name == 'team' && !has(namespaceObject.metadata.labels)"],
    ['oldObject == null'],
  ])('%s', (expression) => {
    expect(judge(one(expression))).toMatchObject({ status: 'pass', message: "Validation rule 'rule' passed." });
  });

  it('is the user, the old object and the labels of the namespace where they are known', () => {
    const info = { userInfo: { username: 'ann', groups: ['dev'] }, roles: [], clusterRoles: [] };
    const more = { operation: 'UPDATE' as const, oldObject: object, info, namespaceLabels: { tier: 'a' } };
    const expression =
      "request.userInfo.username == 'ann' && 'dev' in request.userInfo.groups && oldObject == object && namespaceObject.metadata.labels.tier == 'a'";
    expect(judge(one(expression), { request: more })?.status).toBe('pass');
  });

  it('is no object for a deletion', () => {
    const more = { operation: 'DELETE' as const, object: undefined, oldObject: object };
    expect(judge(one('object == null && oldObject.metadata.name == request.name'), { request: more })?.status).toBe(
      'pass',
    );
  });

  it('has no field that a request does not have', () => {
    const { issues } = compilePolicy(policyWith(one('request.object == null')));
    expect(issues).toMatchObject([
      { code: 'policy-expression', severity: 'warning', path: 'spec.rules[0].validate.cel.expressions[0].expression' },
    ]);
    expect(issues[0]?.message).toContain("undefined field 'object'");
  });
});

describe('variables', () => {
  it('see those before them and not those after', () => {
    const variables = [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '1' },
    ];
    expect(judge({ variables, ...one('variables.b == 1') })?.status).toBe('pass');
    expect(judge({ variables, ...one('variables.a == 1') })?.message).toContain(
      'composited variable "a" fails to compile',
    );
  });

  it('are worked out once, in the middle of a loop too', () => {
    const variables = [{ name: 'items', expression: '[1, 2, 3].map(x, x * 2)' }];
    const cel = { variables, ...one('[1, 2, 3].all(i, [1, 2].all(j, variables.items[i - 1] == i * 2 && j > 0))') };
    expect(judge(cel)?.status).toBe('pass');
  });

  it('keep their error', () => {
    const variables = [{ name: 'bad', expression: 'object.data.x' }];
    expect(judge({ variables, ...one('variables.bad == 1') })?.message).toBe(
      'expression \'variables.bad == 1\' resulted in error: composited variable "bad" fails to evaluate: no such key: x',
    );
  });
});

describe('costs', () => {
  const bomb = 'lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))';

  it('end an expression that is too expensive with a denial', () => {
    expect(judge(one(bomb))).toMatchObject({ status: 'fail', message: expect.stringContaining('cost limit exceeded') });
  });

  it('are less for a policy that anybody in a namespace may write', () => {
    const middling = 'lists.range(300).all(a, lists.range(300).all(b, a + b >= 0))';
    expect(judge(one(middling))?.status).toBe('pass');
    expect(judge(one(middling), { namespaced: true })?.status).not.toBe('pass');
  });
});

describe('parameters', () => {
  const cel = (more: object = {}): CelSpec => ({
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    paramRef: { name: 'limits', namespace: 'other', parameterNotFoundAction: 'Deny', ...more },
    ...one('int(object.data.count) <= int(params.data.max)'),
  });
  const run = (spec: CelSpec, answer: readonly object[], options: Options = {}) => {
    const evaluation = start(spec, options);
    const needs = evaluation.advance(new Map());
    const known = new Map(needs.map((need) => [lookUpKey(need), { ok: true as const, value: answer }]));
    expect(evaluation.advance(known)).toEqual([]);
    return { needs, result: evaluation.results[0] };
  };

  it('are looked up, and every one must pass', () => {
    const { needs, result } = run(cel(), [{ data: { max: '5' } }, { data: { max: '2' } }]);
    expect(needs).toEqual([
      { kind: 'resources', apiVersion: 'v1', resourceKind: 'ConfigMap', namespace: 'other', name: 'limits' },
    ]);
    expect(result?.status).toBe('fail');
    expect(run(cel(), [{ data: { max: '5' } }]).result?.status).toBe('pass');
  });

  it('that are not found deny or allow', () => {
    expect(run(cel(), []).result?.status).toBe('fail');
    expect(run(cel({ parameterNotFoundAction: 'Allow' }), []).result?.status).toBe('pass');
  });

  it('of a namespaced policy come from its namespace, whatever it names', () => {
    const { needs } = run(cel(), [{ data: { max: '5' } }], { namespaced: true });
    expect(needs).toMatchObject([{ namespace: 'team', policyNamespace: 'team' }]);
  });
});

describe('audit annotations', () => {
  it('become properties of what passes', () => {
    const auditAnnotations = [
      { key: 'name', valueExpression: "'is ' + string(object.metadata.name)" },
      { key: 'none', valueExpression: "''" },
    ];
    expect(judge({ auditAnnotations, ...one('true') })?.properties).toEqual({ name: 'is one' });
  });
});

describe('an explanation', () => {
  it('shows each expression with its value or error', () => {
    const cel = { expressions: [{ expression: 'true' }, { expression: 'object.x' }] };
    expect(judge(cel)?.steps).toMatchObject([
      { kind: 'expression', where: 'validate.cel', expression: 'true', value: true },
      { kind: 'expression', where: 'validate.cel', expression: 'object.x', error: expect.stringContaining('got dyn') },
    ]);
  });
});
