import type { ErrorCode, Session } from '../../../src/dashboard/protocol.ts';
import { noteTime } from './time.ts';

export interface ApiError {
  /** `network`: no answer at all. */
  readonly code: ErrorCode | 'network';
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ApiError };

const answerTimeoutMs = 30_000;

/** GET of the API. Only an abort by `signal` throws. */
export async function get<T>(path: string, signal: AbortSignal): Promise<Answer<T>> {
  return await request<T>(path, {}, signal);
}

export const readSession = (signal: AbortSignal): Promise<Answer<Session>> => get('/api/session', signal);

export const signIn = (token: string, signal: AbortSignal): Promise<Answer<Session>> =>
  request(
    '/api/session',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) },
    signal,
  );

export const signOut = (signal: AbortSignal): Promise<Answer<unknown>> =>
  request('/api/session', { method: 'DELETE' }, signal);

async function request<T>(path: string, options: RequestInit, signal: AbortSignal): Promise<Answer<T>> {
  const sentMs = Date.now();
  try {
    const response = await fetch(path, {
      ...options,
      credentials: 'same-origin',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
    });
    noteTime(response.headers.get('date'), { sentMs, receivedMs: Date.now() });
    if (response.ok) return { ok: true, value: (response.status === 204 ? undefined : await response.json()) as T };
    return { ok: false, error: await readError(response) };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { ok: false, error: { code: 'network', message: 'The server does not answer.' } };
  }
}

async function readError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const wait = retryAfter > 0 ? { retryAfterMs: retryAfter * 1000 } : {};
  const answer = (await response.json().catch(() => undefined)) as { error?: Partial<ApiError> } | undefined;
  const { code, message } = answer?.error ?? {};
  if (code !== undefined && message !== undefined) return { code, message, ...wait };
  const known = response.status === 401 ? 'unauthenticated' : response.status === 503 ? 'starting' : 'internal';
  return { code: code ?? known, message: `The server answered with status ${response.status}.`, ...wait };
}
