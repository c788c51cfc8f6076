import { describe, expect, test } from 'vitest';
import { type BatchAnswer, BatchAnswers } from './batch-answers.ts';

const commit = 'c'.repeat(40);
const written = `${commit} commit 5\nab\ncd\nnone missing\n${commit} blob 0\n\n${commit} blob 3\néx\n`;

function read(bytes: Buffer, step: number, maxBytes = 100): BatchAnswer[] {
  const answers = new BatchAnswers(maxBytes);
  const all: BatchAnswer[] = [];
  for (let at = 0; at < bytes.length; at += step) all.push(...answers.take(bytes.subarray(at, at + step)));
  return all;
}

describe('answers of a batch', () => {
  test.each([1, 2, 7, 1000])('are the same in pieces of %i bytes', (step) => {
    const texts = read(Buffer.from(written), step).map((answer) =>
      typeof answer === 'object' ? `${answer.type} ${answer.content}` : answer,
    );
    expect(texts).toEqual(['commit ab\ncd', undefined, 'blob ', 'blob éx']);
  });

  test('that are too large are not waited for', () => {
    expect(read(Buffer.from(`${commit} blob 101\n`), 50)).toEqual(['too-large']);
  });
});
