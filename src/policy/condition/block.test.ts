import { describe, expect, it } from 'vitest';
import { parseConditionBlock } from './block.ts';

const condition = { key: '{{ a }}', operator: 'equals', value: 1 };
const parsed = { key: '{{ a }}', operator: 'Equals', value: 1, message: '' };

describe('a block of conditions', () => {
  it('takes any and all', () => {
    expect(parseConditionBlock({ any: [condition], all: [{ ...condition, message: 'm' }] })).toEqual({
      any: [parsed],
      all: [{ ...parsed, message: 'm' }],
      issues: [],
    });
  });

  it('takes the old list as all', () => {
    expect(parseConditionBlock([condition])).toEqual({ any: undefined, all: [parsed], issues: [] });
  });

  it('tells an empty any, which never holds, from none', () => {
    expect(parseConditionBlock({ any: [] }).any).toEqual([]);
    expect(parseConditionBlock({ all: [] }).any).toBeUndefined();
    expect(parseConditionBlock(undefined)).toEqual({ any: undefined, all: [], issues: [] });
  });

  it('takes an absent key or value for null', () => {
    expect(parseConditionBlock([{ operator: 'Equals' }]).all).toEqual([{ ...parsed, key: null, value: null }]);
  });

  it.each([
    ['text', ['']],
    [{ some: [] }, ['some']],
    [{ any: {} }, ['any']],
    [{ any: ['x'] }, ['any[0]']],
    [{ all: [{ key: 'a', operator: 'Is', value: 1 }] }, ['all[0].operator']],
    [[{ ...condition, message: 5 }], ['[0].message']],
  ])('names the place of what is wrong with %j', (json, paths) => {
    expect(parseConditionBlock(json).issues.map(({ path }) => path)).toEqual(paths);
  });
});
