import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { andThen, type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { BodyBudget } from './body-budget.ts';
import { type Authenticate, unauthenticated } from './client-certificate.ts';
import type { ReviewOutcome, WebhookMetrics } from './metrics.ts';
import { readBody, tooLarge } from './read-body.ts';
import { type AdmissionDecision, parseReview, ReviewError, renderReview } from './review.ts';
import type { ReviewContext, Reviewer } from './reviewer.ts';
import type { Route } from './route.ts';

export interface ReviewLimits {
  readonly maxBodyBytes: number;
  /** If the API server sends no timeout. */
  readonly defaultTimeoutMs: number;
}

interface HandleOptions extends Pick<ReviewLimits, 'maxBodyBytes'> {
  readonly routeOf: (url: string) => Route;
  readonly isAuthenticated: Authenticate;
  readonly budget: BodyBudget;
  /** Called after a review on this connection is answered. */
  readonly onDelivered: (socket: Socket, authenticated: boolean) => void;
  /** Rejects reviews of unauthenticated peers. */
  readonly requiresAuthentication: boolean;
  readonly metrics: WebhookMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

const notEvaluated =
  'the policies with failurePolicy Ignore could not be evaluated for this request; it was not checked';

/** The response must be sent before the timeout of the API server. */
const marginMs = 250;

/** Reads one review, calls its reviewer and responds. Every review is answered and counted, and failures are logged. */
export function handleReview(request: IncomingMessage, response: ServerResponse, options: HandleOptions): void {
  const authenticated = options.isAuthenticated(request.socket);
  const exchange = new Exchange(response, options.routeOf(request.url ?? ''), authenticated, options);
  try {
    if (options.requiresAuthentication && !authenticated) throw unauthenticated(request.socket);
    const reviewer = checkedReviewer(request, exchange.target, options);
    readBody(request, options, {
      onBody: (body) => exchange.review(reviewer, body),
      onRefused: (error) => exchange.fail(error),
    });
  } catch (thrown) {
    exchange.fail(thrown);
  }
}

/** One review. A class, because one is created per request: the signal and timer, which few reviews need, are lazy. */
class Exchange implements ReviewContext {
  bytes = 0;
  private startedMs: number;
  private readonly arrivedMs: number;
  private controller: AbortController | undefined;
  /** Of the request; set after parsing. */
  private uid: string | undefined;
  private cancelTimer: (() => void) | undefined;

  constructor(
    private readonly response: ServerResponse,
    readonly target: Route,
    readonly authenticated: boolean,
    private readonly options: HandleOptions,
  ) {
    this.arrivedMs = options.clock.monotonicMs();
    this.startedMs = this.arrivedMs;
  }

  get route(): string {
    return this.target.route;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      const { clock } = this.options;
      const { timeoutMs } = this.target;
      const made = new AbortController();
      this.controller = made;
      const endsAtMs = this.arrivedMs + Math.max(timeoutMs - marginMs, timeoutMs / 2);
      this.cancelTimer = clock.after(Math.max(0, endsAtMs - clock.monotonicMs()), () =>
        made.abort(new ReviewError('review-deadline', 504, 'the deadline of the review has passed')),
      );
    }
    return this.controller.signal;
  }

  review(reviewer: Reviewer, body: string): void {
    this.startedMs = this.options.clock.monotonicMs();
    this.bytes = body.length;
    try {
      const admission = parseReview(body);
      this.uid = admission.uid;
      const responded = andThen(reviewer.review(admission, this), (decision) => this.respond(admission.uid, decision));
      if (responded instanceof Promise) responded.catch((thrown) => this.fail(thrown));
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  fail(thrown: unknown): void {
    const { log } = this.options;
    const { reviewer, route } = this.target;
    const path = reviewer?.path ?? 'none';
    const isRefused = thrown instanceof ReviewError;
    if (isRefused)
      log.warn('review rejected', { path, status: thrown.status, code: thrown.code, error: thrown.message });
    else log.error('review failed', { path, route, error: errorMessage(thrown) });
    // Under Ignore the API server admits silently; with a response of ours the user gets a warning.
    if (this.uid !== undefined && /^ignore/i.test(route)) {
      this.finish('failed', 200, renderReview(this.uid, { warnings: [notEvaluated] }));
    } else if (isRefused) {
      // The rest of the body is not read, so the connection cannot be reused.
      if (thrown.status === 413 || thrown.code === 'review-overload') this.response.setHeader('connection', 'close');
      this.finish('refused', thrown.status, `${thrown.message}\n`);
    } else this.finish('failed', 500, 'the review failed; see the log\n');
  }

  private respond(uid: string, decision: AdmissionDecision): void {
    if (this.response.socket) this.options.onDelivered(this.response.socket, this.authenticated);
    this.finish(decision.denied === undefined ? 'allowed' : 'denied', 200, renderReview(uid, decision));
  }

  private finish(outcome: ReviewOutcome, status: number, body: string): void {
    const { metrics, clock } = this.options;
    this.cancelTimer?.();
    metrics.reviewed(this.target.reviewer?.path ?? 'none', outcome, (clock.monotonicMs() - this.startedMs) / 1000);
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, {
      'content-type': status === 200 ? 'application/json' : 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }
}

function checkedReviewer(
  { method, headers }: IncomingMessage,
  { reviewer }: Route,
  { maxBodyBytes }: HandleOptions,
): Reviewer {
  if (!reviewer) throw new ReviewError('review-path', 404, 'nothing is reviewed at this path');
  if (method !== 'POST') throw new ReviewError('review-method', 405, 'a review is sent with POST');
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('application/json'))
    throw new ReviewError('review-content-type', 415, 'a review is application/json');
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const ready = reviewer.ready?.() ?? true;
  if (ready !== true)
    throw new ReviewError('review-not-ready', 503, ready === false ? 'not ready yet' : `not ready yet: ${ready}`);
  return reviewer;
}
