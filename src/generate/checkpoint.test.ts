import { describe, expect, it } from 'vitest';
import { type Checkpoint, emptyCheckpoint, mergeCheckpoints, parseCheckpoint, renderCheckpoint } from './checkpoint.ts';

const position = (resourceVersion: string) => ({ resourceVersion, timeMs: 1000, handled: ['u'] });
const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const failed = (name: string) => ({
  policy: 'p',
  type: pods,
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  operation: 'CREATE' as const,
  attempts: 1,
  error: 'no',
});
const checkpoint: Checkpoint = {
  marks: { 'v1/pods': position('100') },
  policies: {
    'uid-p': { revision: '2' },
    'uid-q': { revision: '1', since: { r: { timeMs: 1000 } }, pending: { 'v1/pods': position('9') } },
  },
  failed: [failed('a')],
  downstream: { 'v1/configmaps': { type: pods, resourceVersion: '90' } },
};

describe('a checkpoint', () => {
  it('is parsed as it was rendered', () => {
    expect(parseCheckpoint(renderCheckpoint(checkpoint))).toEqual(checkpoint);
  });

  it('is undefined when it cannot be parsed, and drops positions that cannot be parsed', () => {
    for (const text of [undefined, '', '{', '1', '[]', 'null']) expect(parseCheckpoint(text)).toBeUndefined();
    expect(parseCheckpoint('{"marks":{"a":{"resourceVersion":5},"b":1}}')).toEqual(emptyCheckpoint);
  });

  it('of two leaders keeps the later positions and every failure', () => {
    const theirs: Checkpoint = {
      ...emptyCheckpoint,
      marks: { 'v1/pods': position('99'), 'v1/secrets': position('300') },
      failed: [failed('a'), failed('b')],
    };
    expect(mergeCheckpoints(checkpoint, theirs)).toEqual({
      ...checkpoint,
      marks: { 'v1/pods': position('100'), 'v1/secrets': position('300') },
      failed: [failed('a'), failed('b')],
    });
    const further = mergeCheckpoints(checkpoint, { ...theirs, marks: { 'v1/pods': position('1000') } });
    expect(further.marks['v1/pods']).toEqual(position('1000'));
  });
});
