import { expect, it } from 'vitest';
import { Checkpoint, CheckpointBuilder, type EvaluatedObject } from './checkpoint.ts';
import type { ResultContent } from './result.ts';

const object: EvaluatedObject = {
  uid: 'u1',
  version: '7',
  body: { a: -1, b: 2 },
  status: { a: 3, b: -4 },
  node: -5,
  controllers: 'apps/v1/Deployment',
};
const content = (policy: string, rule: string, rest: Partial<ResultContent> = {}): ResultContent => ({
  head: { source: 'kyverno', policy, rule, scored: true },
  result: 'fail',
  message: 'é "quoted"',
  properties: '{"process":"background scan"}',
  process: 'background',
  seconds: 1_800_000_000,
  ...rest,
});
const reports = [['shop/r', { uid: 'r', generation: 3, content: 'c' }]] as const;
const facts = {
  program: 'p',
  scannedSeconds: 1,
  reports,
  policies: { a: 'x' },
  exceptions: '',
  namespaces: { default: '{}' },
};

function build(...objects: readonly (readonly [EvaluatedObject, ...ResultContent[]])[]): Buffer {
  const builder = new CheckpointBuilder();
  builder.beginKind('v1/pods');
  for (const [one, ...contents] of objects) {
    builder.beginObject(one);
    for (const { head, ...rest } of contents) builder.addResult(head, rest);
  }
  return builder.finish(facts);
}

it('gives back the results of each object by policy', () => {
  const contents = [content('a', 'r1'), content('a', 'r2', { result: 'pass', message: '' }), content('b', 'r')];
  const second = { ...object, uid: 'u2', controllers: '' };
  const read = Checkpoint.parse(build([object, ...contents], [second, content('b', 'r')], [{ ...object, uid: 'u3' }]));
  expect(read.facts).toMatchObject(facts);
  expect(read.size).toBe(3);
  expect(read.resultsOf('v1/pods', object)).toEqual(
    new Map([
      ['a', contents.slice(0, 2)],
      ['b', contents.slice(2)],
    ]),
  );
  expect(read.resultsOf('v1/pods', second)).toEqual(new Map([['b', [content('b', 'r')]]]));
  expect(read.resultsOf('v1/pods', { ...object, uid: 'u3' })).toEqual(new Map());
});

it('knows nothing of an object that differs in anything', () => {
  const read = Checkpoint.parse(build([object, content('a', 'r')]));
  const others: Partial<EvaluatedObject>[] = [
    { uid: 'u9' },
    { version: '8' },
    { body: { a: -1, b: 3 } },
    { status: { a: 0, b: -4 } },
    { node: 5 },
    { controllers: '' },
  ];
  for (const other of others) expect(read.resultsOf('v1/pods', { ...object, ...other })).toBeUndefined();
  expect(read.resultsOf('apps/v1/deployments', object)).toBeUndefined();
  expect(read.resultsOf('v1/pods', object)).toBeDefined();
});

it('is refused if numbers are missing or left over', () => {
  const bytes = build([object, content('a', 'r')]);
  expect(() => Checkpoint.parse(bytes.subarray(0, -4))).toThrow();
  expect(() => Checkpoint.parse(Buffer.concat([bytes, Buffer.alloc(4)]))).toThrow();
  expect(() => Checkpoint.parse(bytes.subarray(0, 10))).toThrow();
});
