import { describe, expect, it } from 'vitest';
import {
  compileException,
  compilePolicy,
  createEvaluation,
  type ExceptionProgram,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
} from '../index.ts';

const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

function evaluationOf(expression: string, isNamespaced = false, exceptions: readonly ExceptionProgram[] = []) {
  const { program, issues } = compilePolicy({
    apiVersion: 'policies.kyverno.io/v1',
    kind: isNamespaced ? 'NamespacedValidatingPolicy' : 'ValidatingPolicy',
    metadata: { name: 'p', ...(isNamespaced ? { namespace: 'shop' } : {}) },
    spec: { matchConstraints: { resourceRules: [pods] }, validations: [{ expression }] },
  });
  expect(issues).toEqual([]);
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } };
  return createEvaluation(
    [program!],
    {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      subresource: '',

      object,
      namespaceLabels: {},
      uid: 'u',
      now: 0,
    },
    { phase: 'validate', exceptions },
  );
}

/** The result once everything that is asked for has its answer, and how many rounds that took. */
function judge(expression: string, answer: (lookUp: LookUp) => LookUpAnswer, isNamespaced = false) {
  const evaluation = evaluationOf(expression, isNamespaced);
  const known = new Map<string, LookUpAnswer>();
  const rounds: (readonly LookUp[])[] = [];
  for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known)) {
    rounds.push(needs);
    for (const need of needs) known.set(lookUpKey(need), answer(need));
  }
  const [{ status, message }] = evaluation.results as unknown as [{ status: string; message: string }];
  return { status, message, rounds };
}

const ok = (value: unknown): LookUpAnswer => ({ ok: true, value });
const get = (name: string) => `resource.Get('v1', 'configmaps', 'shop', '${name}')`;

describe('a library of CEL', () => {
  it('asks for all that an expression needs in one round', () => {
    const { status, rounds } = judge(`${get('a')}.data.x == '1' && ${get('b')}.data.x == '1'`, () =>
      ok({ data: { x: '1' } }),
    );
    expect(status).toBe('pass');
    expect(rounds).toEqual([
      [
        { kind: 'apiCall', method: 'GET', urlPath: '/api/v1/namespaces/shop/configmaps/a', asLibrary: true },
        { kind: 'apiCall', method: 'GET', urlPath: '/api/v1/namespaces/shop/configmaps/b', asLibrary: true },
      ],
    ]);
  });

  it('gives null for what does not exist and an error for what fails', () => {
    expect(judge(`dyn(${get('a')}) == null`, () => ok(null)).status).toBe('pass');
    expect(judge(`dyn(${get('a')}) == null`, () => ({ ok: false, message: 'refused' }))).toMatchObject({
      status: 'error',
      message: 'error: failed to get resource: refused',
    });
  });

  it('gives the items of a list their kind', () => {
    const list = { apiVersion: 'v1', kind: 'PodList', items: [{ metadata: { name: 'a' } }] };
    const expression = "resource.List('v1', 'pods', 'shop', {'b': 'x', 'a': 'y'}).items[0].kind == 'Pod'";
    const { status, rounds } = judge(expression, () => ok(list));
    expect(status).toBe('pass');
    expect(rounds[0]).toMatchObject([{ urlPath: '/api/v1/namespaces/shop/pods?labelSelector=a%3Dy%2Cb%3Dx' }]);
  });

  it('names cluster-scoped objects, objects of groups, and what a kind is called', () => {
    const paths = (expression: string) =>
      judge(expression, (need) => ok(need.kind === 'resourceName' ? 'deployments' : {})).rounds.flat();
    expect(paths("dyn(resource.Get('v1', 'namespaces', '', 'shop')) != null")).toMatchObject([
      { urlPath: '/api/v1/namespaces/shop' },
    ]);
    expect(paths("dyn(resource.List('apps/v1', 'deployments', '')) != null")).toMatchObject([
      { urlPath: '/apis/apps/v1/deployments' },
    ]);
    expect(paths("dyn(resource.Get(resource.ToGVR('apps/v1', 'Deployment'), 'shop', 'web')) != null")).toMatchObject([
      { kind: 'resourceName', apiVersion: 'apps/v1', resourceKind: 'Deployment' },
      { urlPath: '/apis/apps/v1/namespaces/shop/deployments/web' },
    ]);
  });

  it.each([
    "dyn(resource.Get('v1', 'configmaps', 'shop', '../../secrets/x')) != null",
    "dyn(resource.Get('v1', 'pods/../secrets', 'shop', 'x')) != null",
    "dyn(resource.Get('v1/../..', 'pods', 'shop', 'x')) != null",
    "dyn(resource.Get('v1', 'configmaps', 'a/b', 'x')) != null",
    "dyn(resource.Get('v1', 'configmaps', 'shop', 'x?watch=1')) != null",
    "dyn(resource.Get('v1', 'configmaps', 'shop', '%2e%2e')) != null",
    "dyn(resource.Get('v1', 'configmaps', 'shop', '')) != null",
  ])('does not let a name lead elsewhere: %s', (expression) => {
    const { status, rounds } = judge(expression, () => ok({}));
    expect({ status, rounds }).toEqual({ status: 'error', rounds: [] });
  });

  it('keeps a namespaced policy in its namespace', () => {
    const { rounds } = judge("dyn(resource.Get('v1', 'configmaps', 'a')) != null", () => ok({}), true);
    expect(rounds).toEqual([
      [
        {
          kind: 'apiCall',
          method: 'GET',
          urlPath: '/api/v1/namespaces/shop/configmaps/a',
          asLibrary: true,
          policyNamespace: 'shop',
        },
      ],
    ]);
  });

  it('calls services, reads images and global context entries', () => {
    const asked = (expression: string, value: unknown) => judge(expression, () => ok(value));
    expect(asked("http.Post('https://x/', {'a': 1}).statusCode == 201", { statusCode: 201 })).toMatchObject({
      status: 'pass',
      rounds: [[{ kind: 'serviceCall', method: 'POST', url: 'https://x/', data: { a: 1 }, asLibrary: true }]],
    });
    expect(asked("image.GetMetadata('nginx').config.User == 'app'", { config: { User: 'app' } })).toMatchObject({
      status: 'pass',
      rounds: [[{ kind: 'imageData', reference: 'nginx' }]],
    });
    expect(asked("globalContext.Get('g', 'p') == 1", 1)).toMatchObject({
      status: 'pass',
      rounds: [[{ kind: 'globalContext', name: 'g', projection: 'p', asLibrary: true }]],
    });
    expect(asked("globalContext.Get('g').p == 1", { p: 1 })).toMatchObject({
      status: 'pass',
      rounds: [[{ kind: 'globalContext', name: 'g', asLibrary: true }]],
    });
    const missing = () => ({ ok: false as const, message: 'it has no projection "q"' });
    const { message } = judge("globalContext.Get('g', 'q') == 1", missing);
    expect(message).toContain('failed to get global reference: it has no projection "q"');
  });

  it('makes the same random text for one object each time it is judged', () => {
    const expression = `random('[a-z]{12}') == random('[a-z]{12}') || ${get('a')}.data.x == '1'`;
    expect(judge(expression, () => ok({ data: { x: '1' } })).status).toBe('pass');
  });
});

describe('an exception of a namespace', () => {
  it('looks up what a policy of its namespace may, in a policy of the whole cluster too', () => {
    const compiled = compileException({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'PolicyException',
      metadata: { name: 'e', namespace: 'shop' },
      spec: {
        policyRefs: [{ name: 'p', kind: 'ValidatingPolicy' }],
        matchConditions: [{ name: 'c', expression: "resource.Get('v1', 'secrets', 'bank', 'x').data.y == 'z'" }],
      },
    });
    const evaluation = evaluationOf('false', false, [compiled.program!]);
    expect(evaluation.advance(new Map())).toEqual([
      {
        kind: 'apiCall',
        method: 'GET',
        urlPath: '/api/v1/namespaces/bank/secrets/x',
        asLibrary: true,
        policyNamespace: 'shop',
      },
    ]);
  });
});
