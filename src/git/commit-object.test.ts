import { describe, expect, test } from 'vitest';
import { parseCommit, trailersOf } from './commit-object.ts';

describe('a commit', () => {
  test('is parsed into tree, parents, time and message', () => {
    const text = [
      `tree ${'1'.repeat(40)}`,
      `parent ${'2'.repeat(40)}`,
      `parent ${'3'.repeat(40)}`,
      'author A > B <a@b> 5 +0000',
      'committer C <c@d> 1700000000 -0730',
      'gpgsig -----BEGIN',
      ' parent of nothing',
      '',
      'Subject',
      '',
      'tree of words',
    ].join('\n');
    expect(parseCommit(Buffer.from(text))).toEqual({
      tree: '1'.repeat(40),
      parents: ['2'.repeat(40), '3'.repeat(40)],
      timeMs: 1_700_000_000_000,
      message: 'Subject\n\ntree of words',
    });
  });
  test('without a message or parents has none', () => {
    expect(parseCommit(Buffer.from('tree 1\ncommitter C <c> 1 +0000\n'))).toMatchObject({ parents: [], message: '' });
  });
});

describe('trailers', () => {
  test.each([
    ['Subject\n\nKey: a\nOther: b\nkey:c\n', ['a', 'c']],
    ['Subject\n\nKey: early\n\nlast words', []],
    ['Key: subject', []],
    ['Subject\n \nKey: a\n(cherry picked from commit 1234)\n\n\n', ['a']],
    ['Subject\n\nKeys: a\nKey:  \n', []],
    ['Subject\r\n\r\nKey: a\r\n', ['a']],
    ['', []],
  ])('of %j', (message, values) => {
    expect(trailersOf(message, 'Key')).toEqual(values);
  });
});
