import { describe, expect, it } from 'vitest';
import { jsonPatchListType, objectType } from './index.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { misplacedTypes, withMutations } from './mutation.ts';
import { compile } from './program.ts';
import { dynType, renderType, sameType } from './types.ts';
import { toDocument } from './values/json.ts';
import { CelError, type CelObject } from './values/values.ts';

const environment = withMutations(kubernetesEnvironment);
const variables = new Map([['object', dynType]]);
const object = { metadata: { name: 'web', labels: { 'a/b~c': 'x' } }, spec: { replicas: 2 } };

const program = (expression: string) => compile(expression, { environment, variables });
const evaluate = (expression: string) => program(expression).evaluate([object]).value;

describe('an expression of a mutation', () => {
  it('writes an object with types named after their places', () => {
    const expression = 'Object{spec: Object.spec{replicas: object.spec.replicas + 1, ?paused: optional.none()}}';
    expect(sameType(program(expression).type, objectType)).toBe(true);
    const value = evaluate(expression) as CelObject;
    expect(misplacedTypes(value)).toEqual([]);
    expect(toDocument(value)).toEqual({ spec: { replicas: 3 } });
  });

  it('tells of types that are not named after their place, in lists and maps too', () => {
    const value = evaluate(
      'Object{spec: Object.spec{containers: [Object.spec.container{name: "a"}], m: {"k": Object.x{}}}}',
    );
    expect(misplacedTypes(value as CelObject)).toEqual([
      'unexpected type name "Object.spec.container", expected "Object.spec.containers", which matches field name path from root Object type',
      'unexpected type name "Object.x", expected "Object.spec.m", which matches field name path from root Object type',
    ]);
  });

  it('writes JSON patches, whose fields are typed', () => {
    const add = 'JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: {"x": 1}}';
    expect(sameType(program(`[${add}]`).type, jsonPatchListType)).toBe(true);
    expect(toDocument(evaluate(add))).toEqual({ op: 'add', path: '/metadata/labels/a~1b~0c', value: { x: 1 } });
    expect(() => program('JSONPatch{op: 1}')).toThrow(
      "expected type of field 'op' is 'string' but provided type is 'int'",
    );
    expect(() => program('JSONPatch{operation: "add"}')).toThrow("undefined field 'operation'");
  });

  it('compares and selects what it has written', () => {
    expect(evaluate('Object{spec: 1} == Object{spec: 1}')).toBe(true);
    expect(evaluate('Object{spec: 1} == Object{spec: 2}')).toBe(false);
    expect(evaluate('dyn(Object{spec: 1}) == dyn({"spec": 1})')).toBe(false);
    expect(evaluate('Object{spec: 1}.spec')).toBe(1);
    expect(evaluate('type(Object.spec{}) == Object.spec')).toBe(true);
    expect(renderType(program('Object.spec{}').type)).toBe('Object.spec');
  });

  it('has these types in mutations alone', () => {
    expect(() => compile('Object{}', { variables })).toThrow("undeclared reference to 'Object'");
  });
});

describe('a value as a document', () => {
  it('has strings for keys', () => {
    expect(toDocument(evaluate('{1: 2}'))).toEqual(new CelError('map key 1 is of type int, not string'));
  });

  it('keeps keys that every object inherits', () => {
    expect(Object.keys(toDocument(evaluate('{"__proto__": 1}')) as object)).toEqual(['__proto__']);
  });

  it('is refused when it is many times in itself', () => {
    let value: unknown = 'x';
    for (let i = 0; i < 40; i++) value = [value, value];
    expect(toDocument(value)).toEqual(new CelError('the value is too large for an object'));
  });
});
