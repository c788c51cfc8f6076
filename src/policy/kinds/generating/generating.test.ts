import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../object/index.ts';
import { compilePolicy, createEvaluation, type LookUp, type LookUpAnswer, lookUpKey } from '../../index.ts';
import { parsePlaceholders } from './placeholders.ts';

const namespaces = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['namespaces'] };
const maps = { ...namespaces, resources: ['configmaps'] };

const policyOf = (spec: object, isNamespaced = false) => ({
  apiVersion: 'policies.kyverno.io/v1',
  kind: isNamespaced ? 'NamespacedGeneratingPolicy' : 'GeneratingPolicy',
  metadata: { name: 'p', ...(isNamespaced ? { namespace: 'shop' } : {}) },
  spec: { matchConstraints: { resourceRules: [namespaces, maps] }, ...spec },
});

const trigger: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'shop', labels: { team: 'a' } },
};

function run(spec: object, isNamespaced = false, answer?: unknown) {
  const { program, issues } = compilePolicy(policyOf(spec, isNamespaced));
  if (!program) return { issues: issues.map(({ path, message }) => `${path}: ${message}`) };
  const evaluation = createEvaluation(
    [program],
    {
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      subresource: '',
      object: trigger,
      namespaceLabels: {},
      uid: 'u',
      now: 0,
    },
    { phase: 'generate' },
  );
  const known = new Map<string, LookUpAnswer>();
  const asked: LookUp[] = [];
  for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known)) {
    asked.push(...needs);
    for (const need of needs) known.set(lookUpKey(need), { ok: true, value: answer });
  }
  const [result] = evaluation.results;
  if (!result) return { asked };
  const { status, message, generated } = result;
  return { status, message, generated, asked };
}

const template = (value: string, interpolate = 'cel') => ({ generate: [{ template: { value, interpolate } }] });

describe('a GeneratingPolicy', () => {
  it('makes what generator.Apply is called with', () => {
    const variables = [
      {
        name: 'made',
        expression:
          "[{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': dyn({'name': 'x'}), 'data': dyn({'n': '1'})}]",
      },
    ];
    expect(run({ variables, generate: [{ expression: "generator.Apply('bank', variables.made)" }] })).toMatchObject({
      status: 'pass',
      message: 'policy evaluated successfully',
      generated: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'bank' }, data: { n: '1' } },
      ],
    });
  });

  it('copies objects without what a server has added to them, once it has looked them up', () => {
    const source = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 's',
        namespace: 'default',
        uid: 'u',
        resourceVersion: '7',
        ownerReferences: [{ uid: 'o' }],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', a: 'b' },
      },
      data: { k: 'dg==' },
    };
    const expression = "generator.Apply('bank', [resource.Get('v1', 'secrets', 'default', 's')])";
    const { generated, asked } = run({ generate: [{ expression }] }, false, source);
    expect(asked).toHaveLength(1);
    expect(generated).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace: 'bank', annotations: { a: 'b' } },
        data: { k: 'dg==' },
      },
    ]);
  });

  it('fills templates: alone in a scalar a value of any type, inside of a text a scalar', () => {
    const value = [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata:',
      '  name: copy-of-(( object.metadata.name ))-(( 1 + 1 ))',
      '  namespace: bank',
      '  labels: (( object.metadata.labels ))',
      'data:',
      "  text: '\\((not replaced))'",
      '  quoted: \'(( ")" + object.metadata.name ))\'',
      '---',
      'apiVersion: v1',
      'kind: Namespace',
      'metadata:',
      '  name: other',
    ].join('\n');
    expect(run(template(value)).generated).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'copy-of-web-2', namespace: 'bank', labels: { team: 'a' } },
        data: { text: '((not replaced))', quoted: ')web' },
      },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
    ]);
    expect(run(template(value, 'none')).generated?.[0]?.metadata.name).toBe(
      'copy-of-(( object.metadata.name ))-(( 1 + 1 ))',
    );
  });

  it('makes nothing where its conditions do not hold, and tells of mistakes', () => {
    const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: (( object.nowhere ))}';
    const matchConditions = [{ name: 'c', expression: "object.metadata.name == 'x'" }];
    expect(run({ ...template(object), matchConditions })).toEqual({ asked: [] });
    expect(run(template(object))).toMatchObject({
      status: 'error',
      message: expect.stringContaining('document 1: field "metadata": field "name": no such key: nowhere'),
    });
    expect(run(template('a: x (( object.metadata.labels ))'))).toMatchObject({
      message: expect.stringContaining('must evaluate to a scalar'),
    });
    expect(run(template('a: b'))).toMatchObject({ message: expect.stringContaining('apiVersion, kind and metadata') });
  });

  it('is refused with mistakes in it', () => {
    const issuesOf = (spec: object) => run(spec).issues;
    expect(issuesOf({ generate: [{}] })).toEqual([
      expect.stringContaining('one of expression or template must be set'),
    ]);
    expect(issuesOf({ generate: [{ expression: '1' }] })).toEqual([expect.stringContaining('must evaluate to bool')]);
    expect(issuesOf(template('- a'))).toEqual([expect.stringContaining('must be a mapping')]);
    expect(issuesOf(template('"(( a ))": b'))).toEqual([expect.stringContaining('not supported in mapping keys')]);
    expect(issuesOf(template('a: (( nowhere ))'))).toEqual([
      expect.stringContaining("undeclared reference to 'nowhere'"),
    ]);
    expect(issuesOf(template('a: "(( 1 "'))).toEqual([expect.stringContaining('missing closing')]);
  });

  it('stays in its namespace when it is namespaced', () => {
    const object =
      "{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': dyn({'name': 'x', 'namespace': 'bank'})}";
    expect(run({ generate: [{ expression: `generator.Apply([${object}])` }] }, true).generated).toMatchObject([
      { metadata: { name: 'x', namespace: 'shop' } },
    ]);
    const inNamespace = (namespace: string) => template(`apiVersion: v1\nkind: X\nmetadata: {name: x${namespace}}`);
    expect(run(inNamespace(''), true).generated).toMatchObject([{ metadata: { namespace: 'shop' } }]);
    expect(run(inNamespace(', namespace: bank'), true)).toMatchObject({
      status: 'error',
      message: expect.stringContaining('cross-namespace generation denied'),
    });
  });
});

describe('placeholders', () => {
  it.each([
    ['a', [{ text: 'a' }]],
    ['((a))', [{ expression: 'a' }]],
    ['x((f(g(1))))y', [{ text: 'x' }, { expression: 'f(g(1))' }, { text: 'y' }]],
    ["(( '))' ))", [{ expression: "'))'" }]],
    ['\\((a))', [{ text: '((a))' }]],
  ])('%s', (text, wanted) => expect(parsePlaceholders(text)).toEqual(wanted));

  it.each(['(( ))', '((a)', "(('a))", '((a) b))'])('%s is a mistake', (text) => {
    expect(parsePlaceholders(text)).toHaveProperty('error');
  });
});
