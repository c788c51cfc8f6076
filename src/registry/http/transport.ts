import {
  type Clock,
  createLimiter,
  isAbort,
  type Limiter,
  type Logger,
  parseRetryAfter,
  type Retry,
  retry,
  SupercargoError,
} from '../../base/index.ts';
import { Authenticator } from '../auth/authenticator.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import { withDeadline } from '../deadline.ts';
import { badResponse, errorFromNetwork, errorFromRefusal, RegistryError, safeUrl } from '../errors.ts';
import type { RateLimits } from '../rate-floor.ts';
import type { StallLimits } from '../stall.ts';
import { parseChallenges } from './challenge.ts';
import type { Connections } from './connections.ts';
import { type Endpoint, findEndpoint, type RegistrySettings } from './endpoint.ts';
import { isStream } from './exchange.ts';
import type { Redactor } from './redact.ts';
import { firstError, type RegistryResponse, readText } from './response.ts';

interface RegistryRequest {
  readonly registry: string;
  readonly repository?: string | undefined;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** A path below the registry's address, or a complete URL from the registry. */
  readonly path: string | URL;
  readonly scopes: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes can be sent again. A stream is sent once, and its owner decides about another attempt. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Expected statuses; any other one is thrown. */
  readonly expect: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** The request or response is a layer. */
  readonly isBulk?: boolean;
}

interface TransportOptions {
  readonly connections: Connections;
  readonly credentials: CredentialSource;
  readonly settings: (registry: string) => RegistrySettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly random: () => number;
  readonly userAgent: string;
  readonly retries: {
    readonly attempts: number;
    readonly baseMs: number;
    readonly maxMs: number;
    readonly maxRetryAfterMs: number;
  };
  readonly stallLimits: StallLimits;
  readonly rate: RateLimits;
  /** Timeout of a whole call with a small response: a slow one never hits the idle timeout. */
  readonly callTimeoutMs: number;
  readonly concurrency: { readonly calls: number; readonly downloads: number; readonly uploads: number };
}

/**
 * Concurrency lanes per registry. An upload waits for downloads and calls, which wait for nothing, so there is no
 * deadlock.
 */
interface Lanes {
  readonly calls: Limiter;
  readonly downloads: Limiter;
  readonly uploads: Limiter;
}

interface Known {
  endpoint: Promise<Endpoint> | undefined;
  authenticator: Authenticator | undefined;
  readonly lanes: Lanes;
}

interface Exchange {
  readonly registry: string;
  readonly method: RegistryRequest['method'];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly settings: RegistrySettings;
  readonly signal: AbortSignal | undefined;
  readonly isBulk?: boolean | undefined;
}

const maxRedirects = 5;
const maxErrorBytes = 64 * 1024;

/**
 * Sends requests to registries: finds the endpoint, logs in, follows redirects, retries, and turns error responses into
 * errors.
 */
export class Transport {
  private readonly registries = new Map<string, Known>();

  constructor(readonly options: TransportOptions) {}

  lanes(registry: string): Lanes {
    return this.known(registry).lanes;
  }

  /** Layers are sent once: their owner knows where to resume. */
  async send(request: RegistryRequest): Promise<RegistryResponse> {
    if (isStream(request.body) || request.isBulk) return this.attempt(request);
    return this.fetch(request, async (response) => response);
  }

  /**
   * Sends the request and reads the response. Both are retried together, so that a truncated or wrong response is
   * requested again.
   */
  async fetch<T>(request: RegistryRequest, read: (response: RegistryResponse) => Promise<T>): Promise<T> {
    const { calls } = this.known(request.registry).lanes;
    return this.retrying(() => calls.run(() => this.inTime(request, read)), request.signal);
  }

  private inTime<T>(request: RegistryRequest, read: (response: RegistryResponse) => Promise<T>): Promise<T> {
    const { registry, method, path } = request;
    const { clock, callTimeoutMs: ms } = this.options;
    const where = path instanceof URL ? safeUrl(path) : `${registry}${path.replace(/\?.*$/, '')}`;
    const late = () =>
      new RegistryError('registry-timeout', `${method} ${where}: no complete response within ${ms} ms`, {
        registry,
        method,
        retry: 'backoff',
      });
    return withDeadline({ clock, ms, signal: request.signal }, late, async (signal) =>
      read(await this.attempt({ ...request, signal })),
    );
  }

  /** Retries work as its errors allow, with the requested pauses, up to a limit. */
  private retrying<T>(work: (attempt: number) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { clock, random, retries } = this.options;
    return retry(work, {
      ...retries,
      clock,
      random,
      when: (thrown) => this.waitOf(thrown),
      ...(signal ? { signal } : {}),
    });
  }

  /** Never, where the requested pause exceeds the limit. */
  waitOf(thrown: unknown): Retry {
    // Any other error is a bug and stays one on every attempt.
    const wanted = thrown instanceof SupercargoError ? thrown.retry : 'never';
    return typeof wanted === 'object' && wanted.afterMs > this.options.retries.maxRetryAfterMs ? 'never' : wanted;
  }

  private known(registry: string): Known {
    const { calls, downloads, uploads } = this.options.concurrency;
    const known = this.registries.get(registry) ?? {
      endpoint: undefined,
      authenticator: undefined,
      lanes: { calls: createLimiter(calls), downloads: createLimiter(downloads), uploads: createLimiter(uploads) },
    };
    this.registries.set(registry, known);
    return known;
  }

  /** The endpoint of a registry, determined once. */
  endpoint(registry: string, signal: AbortSignal | undefined): Promise<Endpoint> {
    return this.retrying(() => this.findEndpoint(registry, signal), signal);
  }

  private async findEndpoint(registry: string, signal: AbortSignal | undefined): Promise<Endpoint> {
    const known = this.known(registry);
    const ping = async (url: URL, settings: RegistrySettings) => {
      const response = await this.exchange({ registry, method: 'GET', url, headers: {}, settings, signal });
      await response.body.dump();
      return response.status;
    };
    for (;;) {
      const mine = (known.endpoint ??= findEndpoint(registry, this.options.settings(registry), ping, signal));
      try {
        return await mine;
      } catch (thrown) {
        if (known.endpoint === mine) known.endpoint = undefined;
        // The first caller aborted; this one did not.
        if (!isAbort(thrown) || signal?.aborted) throw thrown;
      }
    }
  }

  private authenticator(registry: string, { origin, isSecure, settings }: Endpoint): Authenticator {
    const known = this.known(registry);
    const { clock, redactor, credentials: source } = this.options;
    known.authenticator ??= new Authenticator({
      registry,
      isSecure,
      source,
      clock,
      redactor,
      exchange: async ({ method, url, headers, body, signal }) => {
        const own = url.origin === origin ? settings : this.settingsElsewhere(settings, url);
        const response = await this.exchange({ registry, method, url, headers, body, settings: own, signal });
        const text = await readText(response, 1024 * 1024);
        const retryAfterMs = parseRetryAfter(response.headers['retry-after'], clock.now());
        return { status: response.status, text, retryAfterMs };
      },
    });
    return known.authenticator;
  }

  private async attempt(request: RegistryRequest): Promise<RegistryResponse> {
    const { registry, repository, scopes, signal } = request;
    const endpoint = await this.findEndpoint(registry, signal);
    const authenticator = this.authenticator(registry, endpoint);
    for (;;) {
      const grant = await authenticator.grant(scopes, repository, signal);
      const response = await this.follow(request, endpoint, grant.authorization);
      if (request.expect.includes(response.status)) {
        authenticator.accepted(grant);
        return response;
      }
      const error = await this.refusal(response);
      if (response.status !== 401 && response.status !== 403) throw error;
      // Only the registry itself says how to log in. A challenge of a redirect target would send the registry's
      // password to a realm of that host's choice.
      if (!response.isHome) throw error;
      const challenges = parseChallenges(response.headers['www-authenticate'] ?? '');
      const hasMore = await authenticator.refused(
        grant,
        { status: response.status, challenges },
        { scopes, repository, signal },
      );
      if (!hasMore) throw error;
      if (isStream(request.body))
        throw new RegistryError(error.code, error.message, { ...error, retry: { afterMs: 0 } });
    }
  }

  /** Credentials are sent only to the registry. A redirect URL carries its own authorization. */
  private async follow(
    request: RegistryRequest,
    { origin, isSecure, settings }: Endpoint,
    authorization: string | undefined,
  ): Promise<RegistryResponse & { readonly isHome: boolean }> {
    const { registry, method, body, signal, isBulk } = request;
    let url = request.path instanceof URL ? request.path : new URL(request.path, origin);
    // After a redirect to another host, a redirect back is that host's choice of request, not ours.
    let isHome = true;
    for (let hops = 0; ; hops++) {
      isHome &&= url.origin === origin;
      const headers = { ...request.headers, ...(isHome && authorization !== undefined ? { authorization } : {}) };
      const own = isHome ? settings : this.settingsElsewhere(settings, url);
      const response = await this.exchange({
        registry,
        method,
        url,
        headers,
        body,
        settings: own,
        signal,
        isBulk,
      });
      const location = response.headers['location'];
      const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== undefined;
      const canRepeat = !isStream(body);
      if (!isRedirect || !canRepeat || request.expect.includes(response.status)) return { ...response, isHome };
      await response.body.dump();
      if (hops >= maxRedirects)
        throw badResponse(response.line, `more than ${maxRedirects} redirects`, response.status);
      if (!URL.canParse(location, url.href))
        throw badResponse(response.line, 'a redirect to an invalid address', response.status);
      url = new URL(location, url);
      if (isSecure && url.protocol !== 'https:')
        throw badResponse(response.line, `a redirect away from TLS, to ${safeUrl(url)}`, response.status);
    }
  }

  /** Settings for other hosts that a registry names: never the registry's client certificate. */
  private settingsElsewhere({ ca, isInsecure }: RegistrySettings, url: URL): RegistrySettings {
    return { ca, ...(isInsecure === undefined ? {} : { isInsecure }), ...this.options.settings(url.host) };
  }

  private async exchange(request: Exchange): Promise<RegistryResponse> {
    const { registry, method, url, signal } = request;
    const headers = { 'user-agent': this.options.userAgent, ...request.headers };
    const line = { registry, method, url: safeUrl(url) };
    signal?.throwIfAborted();
    try {
      const response = await this.options.connections.send({
        method,
        url,
        headers,
        body: request.body,
        signal,
        tls: request.settings,
        isBulk: request.isBulk === true,
      });
      this.options.log.debug('registry responded', { method, url: line.url, status: response.status });
      return { ...response, url, line };
    } catch (thrown) {
      throw signal?.aborted ? signal.reason : errorFromNetwork(thrown, line);
    }
  }

  private async refusal(response: RegistryResponse): Promise<RegistryError> {
    const { status, headers, line } = response;
    const text = await readText(response, maxErrorBytes).catch(() => '');
    const { redactor, clock } = this.options;
    const { code, message } = firstError(text);
    return errorFromRefusal(line, {
      status,
      retryAfterMs: parseRetryAfter(headers['retry-after'], clock.now()),
      registryCode: code === undefined ? undefined : redactor.clean(code),
      registryMessage: message === undefined ? undefined : redactor.clean(message),
    });
  }
}
