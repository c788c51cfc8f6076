import { expect, it } from 'vitest';
import { remembering } from './recent.ts';

it('works a text out once, and a long one every time', () => {
  const asked: string[] = [];
  const length = remembering((text) => asked.push(text));
  const long = 'a'.repeat(1000);
  expect([length('a'), length('a'), length(long), length(long)]).toEqual([1, 1, 2, 3]);
  expect(asked).toEqual(['a', long, long]);
});

it('forgets when it has kept many', () => {
  let calls = 0;
  const count = remembering(() => ++calls);
  for (let i = 0; i < 10_000; i++) count(`${i}`);
  expect(count('0')).toBe(10_001);
});
