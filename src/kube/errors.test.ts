import { describe, expect, it } from 'vitest';
import { errorFromForeignResponse, errorFromNetwork, errorFromStatus, isKubeError } from './errors.ts';

const line = { method: 'GET', path: '/api/v1/pods' };

describe('errorFromStatus', () => {
  it.each([
    [409, 'AlreadyExists', 'kube-already-exists'],
    [409, 'Conflict', 'kube-conflict'],
    [404, 'NotFound', 'kube-not-found'],
    [403, 'Forbidden', 'kube-forbidden'],
    [401, 'Unauthorized', 'kube-unauthorized'],
    [410, 'Expired', 'kube-gone'],
    [410, 'Gone', 'kube-gone'],
    [413, 'RequestEntityTooLarge', 'kube-too-large'],
    [422, 'Invalid', 'kube-invalid'],
    [429, 'TooManyRequests', 'kube-throttled'],
    [500, 'InternalError', 'kube-server-error'],
    [503, 'ServiceUnavailable', 'kube-unavailable'],
    [504, 'Timeout', 'kube-timeout'],
    [405, 'MethodNotAllowed', 'kube-unsupported'],
    [418, 'Teapot', 'kube-bad-request'],
  ])('maps %d %s to %s', (code, reason, expected) => {
    const error = errorFromStatus({ code, reason, message: 'why' }, line);
    expect(error.code).toBe(expected);
    expect(error.status).toBe(code);
    expect(error.reason).toBe(reason);
    expect(error.message).toBe(`GET /api/v1/pods: why (${code})`);
  });

  it('keeps details and causes', () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'must be positive', field: 'spec.replicas' }];
    const details = { name: 'web', kind: 'Deployment', causes };
    const error = errorFromStatus({ code: 422, reason: 'Invalid', details }, line);
    expect(error.details?.name).toBe('web');
    expect(error.causes).toEqual(causes);
  });

  it("uses the server's time for 429, 503 and 504, backs off for 5xx, and never retries other refusals", () => {
    expect(errorFromStatus({ code: 429 }, line, { retryAfterMs: 3000 }).retry).toEqual({ afterMs: 3000 });
    expect(errorFromStatus({ code: 503, details: { retryAfterSeconds: 2 } }, line).retry).toEqual({ afterMs: 2000 });
    expect(errorFromStatus({ code: 504 }, line).retry).toBe('backoff');
    expect(errorFromStatus({ code: 500 }, line, { retryAfterMs: 3000 }).retry).toBe('backoff');
    expect(errorFromStatus({ code: 409, reason: 'Conflict' }, line, { retryAfterMs: 3000 }).retry).toBe('never');
  });
});

describe('errors without a Status', () => {
  it("reports that a proxy's page is not from an API server", () => {
    const error = errorFromForeignResponse(line, { httpStatus: 502, contentType: 'text/html; charset=utf-8' });
    expect(error.code).toBe('kube-server-error');
    expect(error.message).toContain('text/html');
    expect(error.retry).toBe('backoff');
  });

  it('distinguishes a timeout from an unreachable server and keeps the cause', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const late = Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    expect(errorFromNetwork(refused, line)).toMatchObject({
      code: 'kube-unreachable',
      retry: 'backoff',
      cause: refused,
    });
    expect(errorFromNetwork(late, line)).toMatchObject({ code: 'kube-timeout', retry: 'backoff' });
  });

  it('recognises errors by code', () => {
    const error = errorFromStatus({ code: 410 }, line);
    expect(isKubeError(error, 'kube-gone')).toBe(true);
    expect(isKubeError(error, 'kube-conflict')).toBe(false);
    expect(isKubeError(new Error('x'))).toBe(false);
  });
});
