import { expect, test } from 'vitest';
import { errorCode, errorMessage, isAbort, retryOf, SupercargoError, UsageError } from './errors.ts';

test('an error carries its code, when to retry, its cause and the name of its class', () => {
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

test('codes are read from our errors and from those of Node', () => {
  expect(errorCode(new SupercargoError('a-b', ''))).toBe('a-b');
  expect(errorCode(Object.assign(new Error(), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
  expect(errorCode({ code: 7 })).toBeUndefined();
  expect(errorCode(null)).toBeUndefined();
});

test('a foreign error may be tried again, ours says for itself', () => {
  expect(retryOf(new Error('socket'))).toBe('backoff');
  expect(retryOf(new SupercargoError('a', ''))).toBe('never');
});

test('an abort is recognised, a timeout is not one', () => {
  expect(isAbort(AbortSignal.abort().reason)).toBe(true);
  expect(isAbort(new DOMException('late', 'TimeoutError'))).toBe(false);
  expect(isAbort('AbortError')).toBe(false);
});
