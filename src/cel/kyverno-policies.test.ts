import { describe, expect, it } from 'vitest';
import { policyLanguage } from './kyverno-policies.ts';
import { CelLibrary, type LibraryHost, type LibraryRequest } from './library.ts';
import { compile } from './program.ts';
import { anyType, dynType, mapType, renderType, sameType, stringType } from './types.ts';
import { toJson } from './values/json.ts';
import { CelError, CelUnknown } from './values/values.ts';

const asked: LibraryRequest[] = [];
const host: LibraryHost = {
  now: () => 0,
  random: () => 0,
  randomText: (pattern) => `random ${pattern}`,
  decodeCertificate: (text) => ({ decoded: text }),
  ask(request) {
    asked.push(request);
    return new CelUnknown([request]);
  },
};

function compiled(expression: string, purpose: 'validate' | 'mutate' | 'generate' | 'delete', isNamespaced: boolean) {
  const { environment, libraries } = policyLanguage(purpose, isNamespaced);
  return compile(expression, { environment, variables: new Map([['object', dynType], ...libraries]) });
}

function evaluate(expression: string, object: unknown = {}, isNamespaced = false): unknown {
  const purpose = expression.includes('generator') ? 'generate' : 'validate';
  const { libraries } = policyLanguage(purpose, isNamespaced);
  const inputs = [object, ...[...libraries.values()].map(({ name }) => new CelLibrary(name, host))];
  const { value } = compiled(expression, purpose, isNamespaced).evaluate(inputs);
  return value instanceof CelError || value instanceof CelUnknown ? value : toJson(value);
}

/** What an expression asks for. */
function needs(expression: string, isNamespaced = false): readonly unknown[] {
  const value = evaluate(expression, {}, isNamespaced);
  expect(value).toBeInstanceOf(CelUnknown);
  return (value as CelUnknown).needs;
}

describe('functions on data', () => {
  it.each([
    ["sha256('a') == hash.sha256('a')", true],
    ["md5('a')", '0cc175b9c0f1b6a831c399e269772661'],
    ["sha1('')", 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ["json.marshal({'b': '<&>', 'a': '1'})", '{"a":"1","b":"\\u003c\\u0026\\u003e"}'],
    ['json.unmarshal(\'{"a": [1, null]}\').a[0] + 1', 2],
    ["yaml.parse('a: [x, z]').a[1]", 'z'],
    ['math.round(2.345, 2)', 2.35],
    ['math.round(-2.5, 0) == -3.0', true],
    ["gzip.decompress(gzip.compress('text'))", 'text'],
    ["listObjToMap([{'k': 'a'}], [{'v': 'b'}], 'k', 'v')", { a: 'b' }],
    ["transform.listObjToMap([{'k': 'a'}], [{'v': 'b'}], 'k', 'v').a", 'b'],
    ["parseServiceAccount('system:serviceaccount:shop:web').Name", 'web'],
    ["user.parseServiceAccount('system:serviceaccount:shop:web').Namespace", 'shop'],
    ["parseServiceAccount('jane').Namespace", ''],
    ['random()', 'random [0-9a-z]{8}'],
    ["random('x+')", 'random x+'],
    ["random.random('y')", 'random y'],
    ["x509.decode('pem').decoded", 'pem'],
    ["regex.replace('banana', 'a(.)', '\\\\1-', 2)", 'bn-n-a'],
    ["regex.extract('key=value', '=(.*)').value()", 'value'],
    ["regex.extract('key', '=(.*)').hasValue()", false],
    ["regex.extractAll('a1b2', '[0-9]')", ['1', '2']],
    ["base64.encode(b'x')", 'eA=='],
    ["cel.bind(x, 'a', x + x)", 'aa'],
  ])('%s', (expression, wanted) => {
    expect(evaluate(expression)).toEqual(wanted);
  });

  it.each([
    "json.unmarshal('{')",
    "yaml.parse('a: [')",
    'json.marshal({1: 2})',
    'gzip.compress(1)',
    "gzip.decompress(b'x')",
    "listObjToMap([{'k': 1}], [{'v': 'b'}], 'k', 'v')",
    "listObjToMap([], [{'v': 'b'}], 'k', 'v')",
    "regex.extract('a', '(a)(b)?')",
    "regex.replace('a', 'a', '\\\\1')",
    "image('UPPER')",
  ])('%s is an error', (expression) => {
    expect(evaluate(expression)).toBeInstanceOf(CelError);
  });
});

describe('an image', () => {
  it.each(
    [
      ['nginx', 'index.docker.io', 'library/nginx', 'latest', ''],
      ['docker.io/nginx:1', 'index.docker.io', 'library/nginx', '1', ''],
      ['ghcr.io/a/b:v1', 'ghcr.io', 'a/b', 'v1', ''],
      ['localhost:5000/apps/a', 'localhost:5000', 'apps/a', 'latest', ''],
      [`r.io/a/b:v1@sha256:${'0'.repeat(64)}`, 'r.io', 'a/b', '', `sha256:${'0'.repeat(64)}`],
    ].filter(([reference]) => reference !== 'localhost:5000/a'),
  )('%s', (reference, registry, repository, tag, digest) => {
    const of = `parseImageReference('${reference}')`;
    expect(evaluate(`[${of}.registry(), ${of}.repository(), ${of}.tag(), ${of}.digest()]`)).toEqual([
      registry,
      repository,
      tag,
      digest,
    ]);
    expect(evaluate(`${of}.identifier()`)).toBe(digest || tag);
    expect(evaluate(`${of}.containsDigest()`)).toBe(digest !== '');
  });

  it('is compared by what it refers to', () => {
    expect(evaluate("image('nginx') == image('docker.io/library/nginx:latest')")).toBe(true);
    expect(evaluate("[isImage('a/b:c'), isImage('A'), isImage('a@sha256:1')]")).toEqual([true, false, false]);
  });
});

describe('a look-up', () => {
  it('is an unknown, in both spellings', () => {
    expect(needs("resource.Get('v1', 'configmaps', 'shop', 'a')")).toEqual([
      { library: 'resource', apiVersion: 'v1', resource: 'configmaps', namespace: 'shop', verb: 'get', name: 'a' },
    ]);
    expect(needs("resource.list('v1', 'pods', '', {'app': 'web'})")).toEqual([
      {
        library: 'resource',
        apiVersion: 'v1',
        resource: 'pods',
        namespace: '',
        verb: 'list',
        labels: { app: 'web' },
      },
    ]);
    expect(needs("resource.post('authorization.k8s.io/v1', 'subjectaccessreviews', {'spec': dyn({})})")).toMatchObject([
      { verb: 'post', namespace: '', data: { spec: {} } },
    ]);
    expect(needs("resource.toGVR('apps/v1', 'Deployment')")).toEqual([
      { library: 'resource', verb: 'map', apiVersion: 'apps/v1', kind: 'Deployment' },
    ]);
    expect(needs("http.Client('pem').Post('https://x', {'a': 'b'}, {'h': 'v'})")).toEqual([
      { library: 'http', method: 'POST', url: 'https://x', headers: { h: 'v' }, caBundle: 'pem', data: { a: 'b' } },
    ]);
    expect(needs("globalContext.get('g', 'p')")).toEqual([{ library: 'globalContext', name: 'g', projection: 'p' }]);
    expect(needs("image.getMetadata('nginx')")).toEqual([{ library: 'image', reference: 'nginx' }]);
    expect(needs("generator.Apply('shop', [{'kind': dyn('X')}])")).toEqual([
      { library: 'generator', namespace: 'shop', objects: [{ kind: 'X' }] },
    ]);
  });

  it('meets others in one unknown, and none where something else decides', () => {
    const get = (name: string) => `resource.Get('v1', 'configmaps', 'shop', '${name}')`;
    expect(needs(`${get('a')}.x == 1 && ${get('b')}.y == 2`)).toHaveLength(2);
    expect(needs(`[1, 2].all(i, ${get('a')}.x == i)`).length).toBeGreaterThan(0);
    expect(evaluate(`${get('a')}.x == 1 || true`)).toBe(true);
  });

  it('takes no namespace in a namespaced policy', () => {
    expect(needs("resource.Get('v1', 'configmaps', 'a')", true)).toEqual([
      { library: 'resource', apiVersion: 'v1', resource: 'configmaps', verb: 'get', name: 'a' },
    ]);
    expect(needs("resource.List('v1', 'configmaps')", true)).toHaveLength(1);
    expect(needs("generator.Apply([{'kind': dyn('X')}])", true)).toHaveLength(1);
    expect(() => compiled("resource.Get('v1', 'configmaps', 'shop', 'a')", 'validate', true)).toThrow(
      'no matching overload',
    );
    expect(() => compiled("generator.Apply('shop', [])", 'generate', true)).toThrow('no matching overload');
  });
});

describe('the languages of the kinds', () => {
  it('differ in what they know', () => {
    expect(() => compiled('Object{}', 'validate', false)).toThrow("undeclared reference to 'Object'");
    expect(renderType(compiled('Object{}', 'mutate', false).type)).toBe('Object');
    expect(() => compiled("generator.Apply('a', [])", 'mutate', false)).toThrow("undeclared reference to 'generator'");
    expect(() => compiled("parseServiceAccount('a')", 'delete', false)).toThrow('undeclared reference');
    expect(() => compiled('{1: 2}.all(k, v, k < v)', 'generate', false)).toThrow('undeclared reference');
    expect(() => compiled("[1, 'a']", 'mutate', false)).toThrow("expected type 'int' but found 'string'");
    expect(compiled("[1, 'a']", 'generate', false).expression).toBe("[1, 'a']");
  });

  it('tell a map of anything from a map of dyn', () => {
    const { type } = compiled("resource.Get('v1', 'pods', 'a', 'b')", 'mutate', false);
    expect(sameType(type, mapType(stringType, anyType))).toBe(true);
    expect(sameType(type, mapType(stringType, dynType))).toBe(false);
  });
});
