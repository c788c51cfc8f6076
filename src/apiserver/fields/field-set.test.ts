import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldsV1 } from '../../object/index.ts';
import { FieldsError, type PathElement, renderPath } from '../../schema/index.ts';
import { FieldSet } from './field-set.ts';

const element = fc.oneof(
  fc.constantFrom('f:a', 'f:b', 'f:c', 'f:metadata'),
  fc.constantFrom(
    'k:{"name":"x"}',
    'k:{"name":"y z"}',
    'k:{"containerPort":80,"protocol":"TCP"}',
    'k:{"containerPort":9}',
  ),
  fc.constantFrom('v:"x"', 'v:1', 'v:10', 'v:9', 'v:true', 'i:0', 'i:10', 'i:9'),
);
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const sets = paths.map((all) => FieldSet.of(all));
const textOf = (set: FieldSet) => JSON.stringify(set.render());
/** A copy of another identity, so that nothing comes out of the cache. */
const copyOf = (set: FieldSet) => FieldSet.parse(JSON.parse(textOf(set)) as FieldsV1);
const keyOf = (path: readonly PathElement[]) => path.join('|');

describe('FieldSet', () => {
  it('reads "." as the path itself and an empty object as a path with nothing below it', () => {
    const set = FieldSet.parse({ 'f:spec': { '.': {}, 'f:replicas': {} }, 'f:status': { 'f:phase': {} } });
    expect(set.paths().map(renderPath)).toEqual(['.spec', '.spec.replicas', '.status.phase']);
  });

  it('writes elements in the order of the server: fields, keys, values, indexes, and numbers by size', () => {
    const set = FieldSet.of([
      ['i:10'],
      ['i:9'],
      ['v:10'],
      ['v:9'],
      ['v:"a"'],
      ['k:{"name":"b"}'],
      ['k:{"name":"a!"}'],
      ['f:z'],
    ]);
    expect(Object.keys(set.render())).toEqual([
      'f:z',
      'k:{"name":"a!"}',
      'k:{"name":"b"}',
      'v:9',
      'v:10',
      'v:"a"',
      'i:9',
      'i:10',
    ]);
  });

  it('brings keys that were written in another way into the canonical form', () => {
    const set = FieldSet.parse({
      'f:ports': { 'k:{ "protocol": "TCP", "containerPort": 80 }': { '.': {}, 'f:name': {} } },
    });
    expect(textOf(set)).toBe(
      '{"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}}}}',
    );
  });

  it('leaves out kinds of elements that nobody knows yet', () => {
    expect(textOf(FieldSet.parse({ 'x:new': {}, 'f:a': {} }))).toBe('{"f:a":{}}');
  });

  it.each(['f', 'name', 'k:{', 'k:1', 'v:', 'i:one'])('refuses %j as an element', (key) => {
    expect(() => FieldSet.parse({ [key]: {} })).toThrow(FieldsError);
  });

  it('subtracts a parent without its children, and recursively with them', () => {
    const owned = FieldSet.ofFields(['spec'], ['spec', 'replicas'], ['status', 'phase']);
    expect(textOf(owned.difference(FieldSet.ofFields(['spec'])))).toBe(
      '{"f:spec":{"f:replicas":{}},"f:status":{"f:phase":{}}}',
    );
    expect(textOf(owned.recursiveDifference(FieldSet.ofFields(['spec'])))).toBe('{"f:status":{"f:phase":{}}}');
  });

  it('keeps only members with nothing below them as leaves', () => {
    expect(textOf(FieldSet.ofFields(['a'], ['a', 'b'], ['c']).leaves())).toBe('{"f:a":{"f:b":{}},"f:c":{}}');
  });

  it('survives a round trip through FieldsV1', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const copy = copyOf(set);
        expect(copy.equals(set)).toBe(true);
        expect(textOf(copy)).toBe(textOf(set));
      }),
    );
  });

  it('does what sets of paths do', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [FieldSet.of(left), FieldSet.of(right)];
        const [inA, inB] = [new Set(left.map(keyOf)), new Set(right.map(keyOf))];
        const expectPaths = (set: FieldSet, keys: Iterable<string>) =>
          expect(new Set(set.paths().map(keyOf))).toEqual(new Set(keys));
        expectPaths(a.union(b), [...inA, ...inB]);
        expectPaths(
          a.intersection(b),
          [...inA].filter((key) => inB.has(key)),
        );
        expectPaths(
          a.difference(b),
          [...inA].filter((key) => !inB.has(key)),
        );
        expectPaths(
          a.recursiveDifference(b),
          [...inA].filter((key) => ![...inB].some((other) => key === other || key.startsWith(`${other}|`))),
        );
        expect(a.isSubsetOf(b)).toBe([...inA].every((key) => inB.has(key)));
        expect(a.isEmpty).toBe(inA.size === 0);
        for (const path of left) expect(a.has(path)).toBe(true);
      }),
    );
  });

  it('keeps the algebra of sets', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
        expect(a.union(b).difference(b).equals(a.difference(b))).toBe(true);
        expect(a.union(copyOf(a))).toBe(a);
      }),
    );
  });

  it('never changes its operands', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [before, other] = [textOf(copyOf(a)), textOf(copyOf(b))];
        for (const result of [a.union(b), a.intersection(b), a.difference(b), a.recursiveDifference(b)])
          result.render();
        expect([
          JSON.stringify(FieldSet.of(a.paths()).render()),
          JSON.stringify(FieldSet.of(b.paths()).render()),
        ]).toEqual([before, other]);
      }),
    );
  });
});
