import { describe, expect, it } from 'vitest';
import { missing, Scope } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import { compileDocument } from './document-template.ts';
import { findVariables } from './find-variables.ts';

class Values extends Scope {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {
    super();
  }
  get(key: string): unknown {
    return key in this.values ? this.values[key] : missing;
  }
  keys() {
    return Object.keys(this.values);
  }
}

const request = { object: { metadata: { name: 'web', labels: { app: 'x' } }, spec: { replicas: 3, list: [1, 'b'] } } };
const resolver = (values: Readonly<Record<string, unknown>> = {}, isDelete = false) => ({
  scope: new Values({ request, ...values }),
  environment: {},
  isDelete,
});
const resolve = (document: unknown, values?: Readonly<Record<string, unknown>>) =>
  compileDocument(document).resolve(resolver(values));

describe('finding variables', () => {
  it.each([
    ['plain', []],
    ['{{ a }}', ['a']],
    ['x-{{a}}-{{ b.c }}', ['a', 'b.c']],
    ['{{a}}{{b}}', ['a', 'b']],
    ['\\{{ a }}', []],
    ['{{ {x: a} }}', ['{x: a}']],
    ['{{ a {{b}} }}', ['b']],
    ['{{ a', []],
    ['{{ a }', []],
    ['{{{ a }}', ['a']],
    ['{{- a }}', ['a']],
  ])('%s', (text, expressions) => {
    expect(findVariables(text).map(({ expression }) => expression)).toEqual(expressions);
  });

  it('takes time in proportion to the text, however it is braced', () => {
    const before = process.cpuUsage();
    findVariables('{{'.repeat(100_000));
    findVariables(`{{${'{a}'.repeat(50_000)}`);
    // In CPU time: what else the machine does is not in it.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  });
});

describe('resolving a document', () => {
  it('keeps the type of a value that is the whole text', () => {
    expect(resolve({ n: '{{ request.object.spec.replicas }}', l: '{{request.object.metadata.labels}}' })).toEqual({
      n: 3,
      l: { app: 'x' },
    });
  });

  it('writes values as JSON into a longer text', () => {
    expect(resolve('n={{ request.object.spec.replicas }}, l={{ request.object.spec.list }}')).toBe('n=3, l=[1,"b"]');
  });

  it('writes objects as Go does, keys in order and angle brackets escaped', () => {
    expect(resolve('o={{ o }}', { o: { b: '<', a: 1 } })).toBe(String.raw`o={"a":1,"b":"\u003c"}`);
  });

  it('resolves keys too', () => {
    expect(resolve({ 'app/{{ request.object.metadata.name }}': 1 })).toEqual({ 'app/web': 1 });
  });

  it('resolves variables inside variables, innermost first', () => {
    expect(resolve('{{ request.object.metadata.labels.{{ key }} }}', { key: 'app' })).toBe('x');
  });

  it('resolves variables that a value brings, but not those of a shallow one', () => {
    expect(resolve('v: {{ a }}', { a: '{{ b }}', b: 'deep' })).toBe('v: deep');
    expect(resolve('v: {{- a }}', { a: '{{ b }}', b: 'deep' })).toBe('v: {{ b }}');
  });

  it('unescapes braces that are no variable', () => {
    expect(resolve({ a: '\\{{ not }}', b: 'x {{ key }} \\{{ y }}' }, { key: 'k' })).toEqual({
      a: '{{ not }}',
      b: 'x k {{ y }}',
    });
  });

  it('reads the old object where there is no other', () => {
    const deletion = { ...resolver({ request: { oldObject: { metadata: { name: 'gone' } } } }), isDelete: true };
    expect(compileDocument('{{ request.object.metadata.name }}').resolve(deletion)).toBe('gone');
  });

  it('finds the same place in the object for {{@}}', () => {
    const document = { spec: { list: ['{{@}}', 'second'] } };
    expect(compileDocument(document).resolve(resolver())).toEqual({ spec: { list: [1, 'second'] } });
  });

  it('gives a document without variables back as it is, without copying', () => {
    const document = Object.freeze({ a: Object.freeze({ b: 'c' }) });
    const template = compileDocument(document);
    expect(template.isStatic).toBe(true);
    expect(template.resolve(resolver())).toBe(document);
  });

  it('stops variables that bring themselves', () => {
    expect(() => resolve('x {{ a }}', { a: 'x {{ a }}' })).toThrow(PolicyError);
  });

  it('refuses a key that a variable makes anything but a text', () => {
    expect(() => resolve({ '{{ request.object.spec.replicas }}': 1 })).toThrow('expected string');
  });

  it('refuses a key that would reach the prototype', () => {
    expect(Object.keys(resolve({ '{{ a }}': 1 }, { a: '__proto__' }) as object)).toEqual(['__proto__']);
  });

  it('keeps null values of variables in lists', () => {
    expect(resolve(['{{ a.b }}', 'x'], { a: { b: null } })).toEqual([null, 'x']);
  });

  it('resolves references inside the document', () => {
    const document = { limits: { memory: '10Gi' }, requests: { memory: '$(<=./../../limits/memory)' } };
    expect(resolve(document)).toEqual({ limits: { memory: '10Gi' }, requests: { memory: '<=10Gi' } });
  });
});
