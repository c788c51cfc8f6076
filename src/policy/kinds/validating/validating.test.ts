import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  compileException,
  compilePolicy,
  confineException,
  createEvaluation,
  type PolicyRequest,
} from '../../index.ts';

const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] };

function policyOf(spec: object, kind = 'ValidatingPolicy') {
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind,
    metadata: { name: 'p', ...(kind.startsWith('Namespaced') ? { namespace: 'shop' } : {}) },
    spec: { matchConstraints: { resourceRules: [pods] }, ...spec },
  };
}

const pod = (metadata: object = {}, spec: object = {}) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', ...metadata }, spec }) as never;

const request = (more: Partial<PolicyRequest> = {}): PolicyRequest => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'Pod', resource: 'pods' },
  subresource: '',
  object: pod(),
  namespaceLabels: {},
  uid: 'u',
  now: 0,
  ...more,
});

function judge(spec: object, more: Partial<PolicyRequest> = {}, kind?: string) {
  const { program, issues } = compilePolicy(policyOf(spec, kind));
  if (!program) return issues.map(({ code, path }) => `${code} ${path}`);
  const evaluation = createEvaluation([program], request(more), { phase: 'validate' });
  evaluation.advance(new Map());
  return evaluation.results.map(({ status, message, rule, ruleName, properties }) => ({
    status,
    message,
    rule: ruleName ?? rule.name,
    ...(properties ? { properties } : {}),
  }));
}

const validations = (...expressions: string[]) => ({ validations: expressions.map((expression) => ({ expression })) });

describe('a ValidatingPolicy that reads the name of a Pod', () => {
  const warningsOf = (more: object) => {
    const matchConditions = [{ name: 'c', expression: "request.object.metadata.name.startsWith('a')" }];
    const spec = { ...validations("object.metadata.namespace != object.metadata.?name.orValue('')"), ...more };
    const { issues } = compilePolicy(policyOf({ matchConditions, ...spec }));
    return issues.map(({ severity, code, path }) => `${severity} ${code} ${path}`);
  };
  it('warns, for in what is derived for controllers it reads a template, which has none', () => {
    expect(warningsOf({})).toEqual([
      'warning policy-autogen spec.matchConditions[0]',
      'warning policy-autogen spec.validations[0]',
    ]);
  });
  it.each([
    { autogen: { podControllers: { controllers: [] } } },
    { matchConditions: [], ...validations("object['metadata'].name != object.metadata.labels.name") },
  ])('is not warned of where nothing is derived from it: %j', (spec) => expect(warningsOf(spec)).toEqual([]));
});

describe('a ValidatingPolicy', () => {
  it('passes when every validation is true', () => {
    expect(judge(validations('true', "object.metadata.name == 'web'"))).toEqual([
      { status: 'pass', message: 'success', rule: '' },
    ]);
  });

  it('is decided by the first validation that is not true', () => {
    expect(judge(validations('true', 'false', 'object.nowhere == 1'))).toMatchObject([
      {
        status: 'fail',
        message: 'CEL expression validation failed at index 1',
        properties: { 'cel.validationIndex': '1' },
      },
    ]);
    expect(judge(validations('object.nowhere == 1', 'false'))).toMatchObject([
      { status: 'error', message: 'error: no such key: nowhere' },
    ]);
  });

  it('says what messageExpression gives, else the message', () => {
    const validation = { expression: 'false', message: 'no', messageExpression: "'not ' + object.metadata.name" };
    expect(judge({ validations: [validation] })).toMatchObject([{ message: 'not web' }]);
    expect(judge({ validations: [{ ...validation, messageExpression: "''" }] })).toMatchObject([
      { message: 'CEL expression validation failed at index 0' },
    ]);
    expect(judge({ validations: [{ expression: 'false', message: 'no' }] })).toMatchObject([{ message: 'no' }]);
  });

  it('skips what its conditions do not name; a false one wins over an error', () => {
    const conditions = (...expressions: string[]) => ({
      ...validations('false'),
      matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
    });
    expect(judge(conditions('object.nowhere == 1', 'false'))).toMatchObject([{ status: 'skip', message: 'skip' }]);
    expect(judge(conditions('object.nowhere == 1', 'true'))).toEqual([
      { status: 'error', message: 'failed to load context: no such key: nowhere', rule: 'evaluation' },
    ]);
    expect(judge({ ...conditions('object.nowhere == 1'), failurePolicy: 'Ignore' })).toMatchObject([
      { status: 'skip' },
    ]);
  });

  it('adds audit annotations to what passes and what fails, and errors when one does', () => {
    const auditAnnotations = [{ key: 'who', valueExpression: 'request.operation' }];
    expect(judge({ ...validations('true'), auditAnnotations })).toMatchObject([{ properties: { who: 'CREATE' } }]);
    expect(judge({ ...validations('false'), auditAnnotations })).toMatchObject([
      { status: 'fail', properties: { who: 'CREATE', 'cel.validationIndex': '0' } },
    ]);
    const wrong = [{ key: 'who', valueExpression: 'object.nowhere.text + "x"' }];
    expect(judge({ ...validations('true'), auditAnnotations: wrong })).toMatchObject([
      { status: 'error', rule: 'evaluation' },
    ]);
  });

  it('evaluates a variable when it is used, and no condition sees it', () => {
    const variables = [
      { name: 'unused', expression: 'object.nowhere' },
      { name: 'name', expression: 'object.metadata.name' },
      { name: 'long', expression: "variables.name + '-x'" },
    ];
    expect(judge({ ...validations("variables.long == 'web-x'"), variables })).toMatchObject([{ status: 'pass' }]);
    const matchConditions = [{ name: 'c', expression: "variables.name == 'web'" }];
    expect(judge({ ...validations('true'), variables, matchConditions })).toEqual([
      'policy-expression spec.matchConditions[0].expression',
    ]);
  });

  it('has variables that are null', () => {
    const variables = [{ name: 'n', expression: 'object.spec.?nodeName.orValue(null)' }];
    expect(judge({ ...validations('variables.n == null', 'type(variables.n) == null_type'), variables })).toMatchObject(
      [{ status: 'pass' }],
    );
  });

  it('types what it sees: a request without a field, a validation that is no bool do not compile', () => {
    expect(judge(validations('request.nowhere == 1'))).toEqual(['policy-expression spec.validations[0].expression']);
    expect(judge(validations('object.spec.?hostPID.orValue(true)'))).toEqual([
      'policy-expression spec.validations[0].expression',
    ]);
    expect(judge(validations("request.object.metadata.name == 'web' && time.now() == timestamp(0)"))).toMatchObject([
      { status: 'pass' },
    ]);
  });

  it('refuses fields it does not know and names that are there twice', () => {
    expect(judge({ ...validations('true'), rules: [] })).toEqual(['policy-field-unknown spec.rules']);
    const twice = { name: 'a', expression: '1' };
    expect(judge({ ...validations('true'), variables: [twice, twice] })).toEqual([
      'policy-field-conflict spec.variables[1].name',
    ]);
    expect(judge({})).toEqual(['policy-field-required spec.validations']);
    const unnamed = ['policy-field-required spec.matchConstraints.resourceRules'];
    expect(judge({ ...validations('true'), matchConstraints: undefined })).toEqual(unnamed);
    expect(judge({ ...validations('true'), matchConstraints: { resourceRules: [] } })).toEqual(unnamed);
    const ofDocuments = { ...validations('true'), matchConstraints: undefined, evaluation: { mode: 'JSON' } };
    expect(judge(ofDocuments)).not.toEqual(unnamed);
  });
});

describe('what a ValidatingPolicy is for', () => {
  const isFor = (matchConstraints: object, more: Partial<PolicyRequest> = {}) =>
    judge({ ...validations('true'), matchConstraints }, more).length > 0;
  const rule = (more: object) => ({ resourceRules: [{ ...pods, ...more }] });
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: { a: '1' } } };
  const onNode = { kind: { group: '', version: 'v1', kind: 'Node', resource: 'nodes' }, object: node };

  it.each<[string, object, Partial<PolicyRequest>, boolean]>([
    ['its resource', rule({}), {}, true],
    ['no other operation', rule({}), { operation: 'DELETE', object: undefined, oldObject: pod() }, false],
    ['no subresource', rule({}), { subresource: 'exec' }, false],
    ['the subresource it names', rule({ resources: ['pods/exec'] }), { subresource: 'exec' }, true],
    ['every subresource, and none', rule({ resources: ['pods/*'] }), {}, true],
    ['one subresource of everything', rule({ resources: ['*/exec'] }), { subresource: 'exec' }, true],
    ['no subresource with a star', rule({ resources: ['*'] }), { subresource: 'exec' }, false],
    ['a resource by name', rule({ resourceNames: ['web'] }), {}, true],
    ['no other name', rule({ resourceNames: ['db'] }), {}, false],
    [
      'a name that begins as generated',
      rule({ resourceNames: ['web-1'] }),
      { object: pod({ name: '', generateName: 'web-' }) },
      true,
    ],
    ['no cluster scope in a namespace', rule({ scope: 'Cluster' }), {}, false],
    ['a resource of its scope', rule({ resources: ['nodes'], scope: 'Cluster' }), onNode, true],
    ['no excluded resource', { ...rule({}), excludeResourceRules: [{ ...pods, resourceNames: ['web'] }] }, {}, false],
    ['labels of the namespace', { ...rule({}), namespaceSelector: { matchLabels: { a: '1' } } }, {}, false],
    [
      'a namespace by name',
      { ...rule({}), namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } },
      {},
      true,
    ],
    [
      'what is in no namespace',
      { ...rule({ resources: ['nodes'] }), namespaceSelector: { matchLabels: { b: '2' } } },
      onNode,
      true,
    ],
    [
      'an object by its old labels',
      { ...rule({}), objectSelector: { matchLabels: { a: '1' } } },
      { operation: 'UPDATE', oldObject: pod({ labels: { a: '1' } }) },
      true,
    ],
    ['no object with other labels', { ...rule({}), objectSelector: { matchLabels: { a: '1' } } }, {}, false],
  ])('%s', (_, constraints, more, expected) => {
    expect(isFor(constraints, more)).toBe(expected);
  });

  it('is its own namespace, for one that is namespaced', () => {
    const spec = validations('true');
    expect(judge(spec, {}, 'NamespacedValidatingPolicy')).toHaveLength(1);
    expect(judge(spec, { object: pod({ namespace: 'other' }) }, 'NamespacedValidatingPolicy')).toHaveLength(0);
  });
});

describe('a ValidatingPolicy for Pods', () => {
  const controller = (group: string, kind: string, resource: string, spec: object) => ({
    kind: { group, version: 'v1', kind, resource },
    object: { apiVersion: `${group}/v1`, kind, metadata: { name: 'web', namespace: 'shop' }, spec } as never,
  });
  const template = { metadata: { labels: { app: 'web' } }, spec: { hostPID: true } };
  const deployment = controller('apps', 'Deployment', 'deployments', { template });
  const cronJob = controller('batch', 'CronJob', 'cronjobs', { jobTemplate: { spec: { template } } });
  const spec = {
    validations: [
      { expression: "object.metadata.namespace == 'shop'", message: 'namespace' },
      { expression: '!has(object.spec.hostPID)', message: 'see object.spec.hostPID' },
    ],
  };

  it('judges the templates of controllers, with its messages moved too', () => {
    expect(judge(spec, deployment)).toMatchObject([{ message: 'see object.spec.template.spec.hostPID' }]);
    expect(judge(spec, cronJob)).toMatchObject([{ message: 'see object.spec.jobTemplate.spec.template.spec.hostPID' }]);
  });

  it('judges only the controllers that are chosen', () => {
    const chosen = (...controllers: string[]) => ({ ...spec, autogen: { podControllers: { controllers } } });
    expect(judge(chosen('cronjobs'), deployment)).toEqual([]);
    expect(judge(chosen('cronjobs'), cronJob)).toHaveLength(1);
    expect(judge(chosen(), cronJob)).toEqual([]);
    expect(judge(chosen('Deployment'), deployment)).toEqual([]);
  });

  it('is not derived when it is for more than Pods, or for some of them', () => {
    const constraints = { resourceRules: [{ ...pods, resources: ['pods', 'services'] }] };
    expect(judge({ ...spec, matchConstraints: constraints }, deployment)).toEqual([]);
    const selecting = { resourceRules: [pods], objectSelector: { matchLabels: { app: 'web' } } };
    expect(judge({ ...spec, matchConstraints: selecting }, deployment)).toEqual([]);
  });
});

describe('a PolicyException for ValidatingPolicies', () => {
  const exceptionOf = (spec: object, labels: object = {}) =>
    compileException({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'PolicyException',
      metadata: { name: 'e', namespace: 'shop', labels },
      spec: { policyRefs: [{ name: 'p', kind: 'ValidatingPolicy' }], ...spec },
    });
  const excuse = (policy: object, ...specs: (object | ReturnType<typeof exceptionOf>['program'])[]) => {
    const exceptions = specs.map((spec) => ('covers' in spec! ? spec : exceptionOf(spec!).program!) as never);
    const evaluation = createEvaluation([compilePolicy(policyOf(policy)).program!], request({ now: 1000 }), {
      phase: 'validate',
      exceptions,
    });
    evaluation.advance(new Map());
    const [{ status, message, rule, ruleName, exceptions: keys } = {} as never] = evaluation.results;
    return { status, message, rule: ruleName ?? rule.name, keys };
  };
  const denying = { ...validations('false'), matchConditions: [{ name: 'c', expression: 'object.nowhere == 1' }] };

  it('exempts before anything else of the policy is judged', () => {
    expect(excuse(denying, {})).toEqual({
      status: 'skip',
      message: 'rule is skipped due to policy exception: shop/e',
      rule: 'exception',
      keys: ['shop/e'],
    });
    expect(excuse(denying, { reportResult: 'pass' })).toMatchObject({ status: 'pass' });
  });

  it('exempts what its conditions name, until it expires, from the policies it refers to', () => {
    const named = (expression: string) => ({ matchConditions: [{ name: 'c', expression }] });
    expect(excuse(validations('false'), named("object.metadata.name == 'db'"))).toMatchObject({ status: 'fail' });
    expect(excuse(validations('false'), named('object.nowhere == 1'))).toMatchObject({ rule: 'evaluation' });
    expect(excuse(validations('false'), { expiresAt: '1970-01-01T00:00:01Z' })).toMatchObject({ status: 'fail' });
    expect(excuse(validations('false'), { expiresAt: '1970-01-01T00:00:02Z' })).toMatchObject({ status: 'skip' });
    const other = { policyRefs: [{ name: 'p', kind: 'MutatingPolicy' }] };
    expect(excuse(validations('false'), other)).toMatchObject({ status: 'fail' });
  });

  it('only tells the expressions what it allows, if it names images or values', () => {
    const policy = validations("'a' in exceptions.allowedValues && exceptions.allowedImages == []");
    expect(excuse(policy, { allowedValues: ['a'] })).toMatchObject({ status: 'pass' });
    expect(excuse(policy, { allowedValues: ['b'] })).toMatchObject({ status: 'fail' });
    expect(excuse(policy)).toMatchObject({ status: 'fail' });
  });

  it('of a namespace that may only exempt its own does not reach a policy of the cluster', () => {
    const confined = confineException(exceptionOf({}).program!, 'shop');
    expect(excuse(validations('false'), confined as never)).toMatchObject({ status: 'fail' });
  });

  it('is refused with a condition that does not compile', () => {
    const { program, issues } = exceptionOf({ matchConditions: [{ name: 'c', expression: 'nowhere' }] });
    expect(program).toBeUndefined();
    expect(issues.map(({ path }) => path)).toEqual(['spec.matchConditions[0].expression']);
  });
});

describe('a ValidatingPolicy for payloads', () => {
  const answer = (mode: string, value: unknown, spec: object) =>
    judge(
      { evaluation: { mode }, ...spec },
      { kind: { group: '', version: '', kind: '' }, object: undefined, payload: { mode: mode as 'JSON', value } },
    );

  it('judges documents, and objects as the documents that they are', () => {
    const spec = { evaluation: { mode: 'JSON' }, ...validations('object.data.size() > 1 && request == null') };
    expect(answer('JSON', { data: 'long' }, spec)).toMatchObject([{ status: 'pass' }]);
    expect(answer('JSON', { data: 'x' }, spec)).toMatchObject([{ status: 'fail' }]);
    expect(judge({ ...spec, ...validations("object.kind == 'Pod'") })).toMatchObject([{ status: 'pass' }]);
    expect(judge(validations('true'), { object: undefined, payload: { mode: 'JSON', value: {} } })).toEqual([]);
  });

  it('answers requests of proxies with the first response', () => {
    const spec = validations(
      "object.attributes.Header('X-Open') == ['yes'] ? http.Allowed().Response() : null",
      "object.attributes.path == '/' ? null : http.Denied('not ' + object.attributes.path).Response()",
    );
    const ask = (path: string, header = {}) => answer('HTTP', { attributes: { path, header } }, spec);
    expect(ask('/', { 'x-open': ['yes'] })).toMatchObject([{ status: 'pass' }]);
    expect(ask('/a')).toMatchObject([{ status: 'fail', message: 'not /a' }]);
    expect(ask('/')).toMatchObject([{ status: 'skip' }]);
    expect(answer('Envoy', {}, validations("envoy.Denied(403).WithBody('no').Response()"))).toMatchObject([
      { status: 'fail', message: 'no' },
    ]);
  });

  it('reads tokens: a signature that does not hold, a time that is over, a public key as a secret are not valid', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = (claims: object, secret = 'secret', alg = 'HS256') => {
      const signed = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    };
    const isValid = (text: string, key = 'secret') =>
      answer(
        'Envoy',
        { text, key },
        validations(
          'jwt.Decode(object.text, object.key).Valid ? envoy.Allowed().Response() : envoy.Denied(401).Response()',
        ),
      )[0];
    expect(isValid(token({ role: 'admin', exp: 5 }))).toMatchObject({ status: 'pass' });
    expect(isValid(token({ role: 'admin' }, 'other'))).toMatchObject({ status: 'fail' });
    expect(isValid(token({ exp: -1 }))).toMatchObject({ status: 'fail' });
    expect(isValid(token({ nbf: 1 }))).toMatchObject({ status: 'fail' });
    expect(isValid(token({}, 'secret', 'none'))).toMatchObject({ status: 'fail' });
    const pem = '-----BEGIN PUBLIC KEY-----';
    expect(isValid(token({}, pem), pem)).toMatchObject({ status: 'fail' });
    expect(isValid('a.b')).toMatchObject({ status: 'error', message: 'error: token is malformed' });
  });

  it('is for no request of a cluster', () => {
    const { program } = compilePolicy(policyOf({ evaluation: { mode: 'JSON' }, ...validations('true') }));
    expect(program?.settings).toMatchObject({ admission: false, background: false });
  });
});
