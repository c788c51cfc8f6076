import { type Retry, SupercargoError } from '../base/index.ts';

export type InsightsErrorCode =
  | 'insights-bad-answer'
  | 'insights-forbidden'
  | 'insights-not-found'
  | 'insights-redirected'
  | 'insights-refused'
  | 'insights-server-error'
  | 'insights-throttled'
  | 'insights-timeout'
  | 'insights-too-large'
  | 'insights-unauthorized'
  | 'insights-unreachable';

/** A failed call to Insights. Holds no header, no body and no query, so that it never contains the token. */
export class InsightsError extends SupercargoError {
  declare readonly code: InsightsErrorCode;
  /** The HTTP status; absent when there was no complete response. */
  readonly status: number | undefined;

  constructor(
    code: InsightsErrorCode,
    message: string,
    options: { readonly status?: number | undefined; readonly retry?: Retry; readonly cause?: unknown } = {},
  ) {
    super(code, message, { retry: options.retry ?? 'never', cause: options.cause });
    this.status = options.status;
  }
}

interface RefusedResponse {
  readonly status: number;
  /** The attempted operation, for the message: `fetching policies`. */
  readonly what: string;
  readonly organization: string;
  readonly cluster: string;
  readonly retryAfterMs: number | undefined;
  /** The server's message, short and already redacted; empty when it is of no use. */
  readonly errorText: string;
  readonly location: string | undefined;
}

/** The error for an unsuccessful response, with what to do about it. */
export function errorFromResponse(response: RefusedResponse): InsightsError {
  const { status, what, errorText } = response;
  const detail = errorText === '' ? '' : `: ${errorText}`;
  const place = `organization ${response.organization}, cluster ${response.cluster}`;
  const make = (code: InsightsErrorCode, message: string, retry: Retry = 'never') =>
    new InsightsError(code, `${what}: ${message}`, { status, retry });
  if (status === 401)
    return make('insights-unauthorized', `Insights does not accept the token (401); renew FAIRWINDS_TOKEN${detail}`);
  if (status === 403)
    return make('insights-forbidden', `the token may not do this (403) for ${place}; check its permissions${detail}`);
  if (status === 404)
    return make(
      'insights-not-found',
      `not found (404) for ${place}; check FAIRWINDS_ORG, FAIRWINDS_CLUSTER and FAIRWINDS_INSIGHTS_HOST${detail}`,
    );
  if (status >= 300 && status < 400)
    return make(
      'insights-redirected',
      `Insights redirects (${status})${response.location ? ` to ${response.location}` : ''}; redirects are not followed with a token, set FAIRWINDS_INSIGHTS_HOST to the final address`,
    );
  const wait: Retry = response.retryAfterMs === undefined ? 'backoff' : { afterMs: response.retryAfterMs };
  if (status === 429) return make('insights-throttled', `Insights asks to slow down (429)${detail}`, wait);
  if (status === 408) return make('insights-timeout', `Insights timed out (408)${detail}`, 'backoff');
  if (status >= 500) return make('insights-server-error', `Insights failed (${status})${detail}`, wait);
  return make('insights-refused', `Insights refuses (${status})${detail}`);
}
