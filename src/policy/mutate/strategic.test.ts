import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../base/index.ts';
import { deepFreeze } from '../testing/freeze.ts';
import { mergeStrategic } from './index.ts';

const merged = (patch: string, resource: string) => {
  const [change, object] = [deepFreeze(parseYaml(patch)), deepFreeze(parseYaml(resource))];
  const outcome = mergeStrategic(change, object);
  return outcome.kind === 'patched' ? outcome.resource : outcome.kind;
};
const pod = (spec: string) => `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: ${spec}}`;
const specOf = (patch: string, spec: string) => (merged(`{spec: ${patch}}`, pod(spec)) as { spec: unknown }).spec;

describe('maps', () => {
  it('are merged field by field', () => {
    expect(specOf('{a: {b: 1}}', '{a: {c: 2}, d: 3}')).toEqual({ a: { b: 1, c: 2 }, d: 3 });
  });

  it('lose the fields that are null in the patch', () => {
    expect(specOf('{a: null, b: {c: null}}', '{a: 1, b: {c: 2, d: 3}}')).toEqual({ b: { d: 3 } });
  });

  it('are replaced or deleted by directives', () => {
    expect(specOf('{a: {$patch: replace, b: 1}}', '{a: {c: 2}}')).toEqual({ a: { b: 1 } });
    expect(specOf('{a: {$patch: delete}}', '{a: {c: 2}, d: 3}')).toEqual({ d: 3 });
  });
});

describe('lists', () => {
  it('of built-in kinds are merged by their key, in the order of the patch first', () => {
    expect(
      specOf(
        '{containers: [{name: b, image: "2"}, {name: new}]}',
        '{containers: [{name: a}, {name: b, image: "1", tty: true}]}',
      ),
    ).toEqual({ containers: [{ name: 'b', image: '2', tty: true }, { name: 'new' }, { name: 'a' }] });
  });

  it('lose the elements that a directive deletes', () => {
    expect(specOf('{containers: [{name: a, $patch: delete}]}', '{containers: [{name: a}, {name: b}]}')).toEqual({
      containers: [{ name: 'b' }],
    });
  });

  it('of plain values are replaced', () => {
    expect(specOf('{containers: [{name: a, args: [x]}]}', '{containers: [{name: a, args: [y, z]}]}')).toEqual({
      containers: [{ name: 'a', args: ['x'] }],
    });
  });

  it('of kinds that nobody knows are replaced', () => {
    const task = (spec: string) => `{apiVersion: x.example.com/v1, kind: Task, metadata: {name: t}, spec: ${spec}}`;
    expect(merged('{spec: {steps: [{a: 1}]}}', task('{steps: [{b: 2}]}'))).toMatchObject({
      spec: { steps: [{ a: 1 }] },
    });
  });

  it('are merged by several keys where ports need them', () => {
    const service = (ports: string) => `{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: ${ports}}}`;
    expect(
      merged(
        '{spec: {ports: [{port: 80, protocol: TCP, name: web}]}}',
        service('[{port: 80, protocol: TCP}, {port: 81, protocol: TCP}]'),
      ),
    ).toMatchObject({
      spec: {
        ports: [
          { port: 80, protocol: 'TCP', name: 'web' },
          { port: 81, protocol: 'TCP' },
        ],
      },
    });
  });
});

describe('anchors of patches', () => {
  it('add what is not there, and leave what is', () => {
    expect(specOf('{+(a): 1, +(b): 2}', '{a: 5}')).toEqual({ a: 5, b: 2 });
  });

  it('skip the patch where a condition is not met', () => {
    expect(merged('{spec: {(a): "x*", b: 1}}', pod('{a: xy}'))).toMatchObject({ spec: { a: 'xy', b: 1 } });
    expect(merged('{spec: {(a): "x*", b: 1}}', pod('{a: z}'))).toBe('skip');
    expect(merged('{spec: {(a): "x*", b: 1}}', pod('{c: z}'))).toBe('skip');
  });

  it('choose the elements of a list', () => {
    expect(
      specOf(
        '{containers: [{(image): "*:latest", pull: Always}]}',
        '{containers: [{name: a, image: "x:latest"}, {name: b, image: "y:1"}]}',
      ),
    ).toEqual({
      containers: [
        { name: 'a', image: 'x:latest', pull: 'Always' },
        { name: 'b', image: 'y:1' },
      ],
    });
  });

  it('skip the whole patch where a global condition is not met', () => {
    const patch = '{metadata: {labels: {a: b}}, spec: {containers: [{<(image): "ghcr.io/*"}]}}';
    expect(merged(patch, pod('{containers: [{name: a, image: "ghcr.io/x"}]}'))).toMatchObject({
      metadata: { labels: { a: 'b' } },
    });
    expect(merged(patch, pod('{containers: [{name: a, image: "quay.io/x"}]}'))).toBe('skip');
  });
});

describe('a merge', () => {
  it('that changes nothing is skipped', () => expect(merged('{spec: {a: 1}}', pod('{a: 1}'))).toBe('skip'));

  it('of a list into a map is an error', () => expect(merged('{spec: {a: [1]}}', pod('{a: {b: 1}}'))).toBe('error'));

  it('keeps int64 as it is', () => {
    expect(specOf('{b: 1}', '{a: 9007199254740993}')).toEqual({ a: 9007199254740993n, b: 1 });
  });
});
