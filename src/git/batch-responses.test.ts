import { describe, expect, test } from 'vitest';
import { type BatchResponse, BatchResponseParser } from './batch-responses.ts';

const commit = 'c'.repeat(40);
const written = `${commit} commit 5\nab\ncd\nnone missing\n${commit} blob 0\n\n${commit} blob 3\néx\n`;

function read(bytes: Buffer, step: number, maxBytes = 100): BatchResponse[] {
  const parser = new BatchResponseParser(maxBytes);
  const all: BatchResponse[] = [];
  for (let at = 0; at < bytes.length; at += step) all.push(...parser.take(bytes.subarray(at, at + step)));
  return all;
}

describe('responses of git cat-file --batch', () => {
  test.each([1, 2, 7, 1000])('are the same in pieces of %i bytes', (step) => {
    const texts = read(Buffer.from(written), step).map((response) =>
      typeof response === 'object' ? `${response.type} ${response.content}` : response,
    );
    expect(texts).toEqual(['commit ab\ncd', undefined, 'blob ', 'blob éx']);
  });

  test('that are too large end the reading at once', () => {
    expect(read(Buffer.from(`${commit} blob 101\n`), 50)).toEqual(['too-large']);
  });
});
