import { expect, test } from 'vitest';
import { errorCode, errorMessage, isAbort, retryOf, SupercargoError, UsageError } from './errors.ts';

test('an error has its code, retry, cause and class name', () => {
  const cause = new Error('below');
  const error = new UsageError('base-example', 'wrong', { cause, retry: { afterMs: 5 } });
  expect(error).toMatchObject({
    name: 'UsageError',
    code: 'base-example',
    message: 'wrong',
    cause,
    retry: { afterMs: 5 },
  });
  expect(new SupercargoError('x', 'y').retry).toBe('never');
});

test('the message of an error includes its causes once', () => {
  const inner = new Error('connection refused');
  expect(errorMessage(new Error('cannot list pods', { cause: inner }))).toBe('cannot list pods: connection refused');
  expect(errorMessage(new Error('failed: connection refused', { cause: inner }))).toBe('failed: connection refused');
  expect(errorMessage('text')).toBe('text');
});

test("reads codes from our errors and from Node's", () => {
  expect(errorCode(new SupercargoError('a-b', ''))).toBe('a-b');
  expect(errorCode(Object.assign(new Error(), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
  expect(errorCode({ code: 7 })).toBeUndefined();
  expect(errorCode(null)).toBeUndefined();
});

test('a foreign error may be retried; ours states its own retry', () => {
  expect(retryOf(new Error('socket'))).toBe('backoff');
  expect(retryOf(new SupercargoError('a', ''))).toBe('never');
});

test('recognises an abort, and does not take a timeout for one', () => {
  expect(isAbort(AbortSignal.abort().reason)).toBe(true);
  expect(isAbort(new DOMException('late', 'TimeoutError'))).toBe(false);
  expect(isAbort('AbortError')).toBe(false);
});
