import { expect, it } from 'vitest';
import { SharedFields } from './shared-fields.ts';

const fields = (name: string) => ({ 'f:spec': { [name]: {} } });

it('stores equal field sets once, as an object and as a text', () => {
  const shared = new SharedFields();
  const first = shared.share(fields('f:x'));
  const second = shared.share(fields('f:x'));
  expect(second).toBe(first);
  expect(shared.textOf(second)).toBe('{"f:spec":{"f:x":{}}}');
});

it('keeps different field sets apart', () => {
  const shared = new SharedFields();
  shared.share(fields('f:x'));
  expect(shared.share(fields('f:y'))).toEqual(fields('f:y'));
  expect(shared.textOf(shared.share(fields('f:y')))).toBe('{"f:spec":{"f:y":{}}}');
});
