import { LRUCache } from 'lru-cache';
import { type Clock, isAbort } from '../../base/index.ts';
import { isRegistryError, RegistryError } from '../errors.ts';
import type { Challenge } from '../http/challenge.ts';
import type { Redactor } from '../http/redact.ts';
import { type Credential, type CredentialSource, secretsOf } from './credentials.ts';
import { basicHeader, fetchToken, type SmallExchange } from './token.ts';

/** The authorization of one request. */
interface Grant {
  readonly authorization: string | undefined;
  readonly login: Login | undefined;
}

interface Login {
  readonly authorization: string | undefined;
  readonly expiresAtMs: number;
  readonly candidates: readonly (Credential | undefined)[];
  readonly index: number;
  /** A 401 for a login that worked before means that it expired, not that it is wrong. */
  hasWorked: boolean;
}

interface AuthenticatorOptions {
  readonly registry: string;
  readonly isSecure: boolean;
  readonly source: CredentialSource;
  readonly exchange: SmallExchange;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

// Tokens are renewed this long before they expire. Must be less than the shortest lifetime of a token.
const renewBeforeMs = 15_000;
const maxLogins = 2000;

/**
 * Logs in to one registry. Reads the method from the registry's challenge, tries the credentials in order and anonymous
 * access last, and caches the login that worked per scope. Concurrent requests for the same scope share one login.
 */
export class Authenticator {
  private challenge: Challenge | undefined;
  private readonly logins = new LRUCache<string, Login>({ max: maxLogins });
  private readonly underWay = new Map<string, Promise<Login>>();

  constructor(private readonly options: AuthenticatorOptions) {}

  async grant(
    scopes: readonly string[],
    repository: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Grant> {
    const key = keyOf(scopes);
    const known = this.logins.get(key);
    if (known !== undefined && this.options.clock.now() < known.expiresAtMs) return grantOf(known);
    if (this.challenge === undefined) return { authorization: undefined, login: undefined };
    // After an expired token, start with the credential that worked before.
    return grantOf(await this.login(key, { scopes, repository, signal, from: known?.hasWorked ? known.index : 0 }));
  }

  accepted({ login }: Grant): void {
    if (login !== undefined) login.hasWorked = true;
  }

  /** Called after a 401 or 403. Returns true when another attempt with the next grant can succeed. */
  async refused(
    grant: Grant,
    response: { readonly status: number; readonly challenges: readonly Challenge[] },
    request: {
      readonly scopes: readonly string[];
      readonly repository: string | undefined;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<boolean> {
    const offered = choose(response.challenges);
    if (response.status === 401 && offered !== undefined) this.challenge = offered;
    if (this.challenge === undefined) return false;
    const key = keyOf(request.scopes);
    const { login } = grant;
    if (login === undefined) return response.status === 401;
    const newer = this.logins.get(key);
    if (newer !== undefined && newer !== login) return true;
    this.logins.delete(key);
    const isRenewal = response.status === 401 && login.hasWorked;
    const from = isRenewal ? login.index : login.index + 1;
    if (from >= login.candidates.length) return false;
    try {
      const next = await this.login(key, { ...request, from });
      // Without a header there is nothing new to try.
      return next.authorization !== undefined || login.authorization !== undefined;
    } catch (thrown) {
      // The registry's own error is more specific than the token server's.
      if (isRegistryError(thrown) && !thrown.isTemporary) return false;
      throw thrown;
    }
  }

  private async login(
    key: string,
    options: {
      readonly scopes: readonly string[];
      readonly repository: string | undefined;
      readonly signal: AbortSignal | undefined;
      readonly from: number;
    },
  ): Promise<Login> {
    const running = this.underWay.get(key);
    if (running !== undefined) {
      try {
        return await running;
      } catch (thrown) {
        // The caller that started the login aborted it; this caller did not.
        if (!isAbort(thrown)) throw thrown;
        options.signal?.throwIfAborted();
      }
    }
    const mine = this.tryInTurn(options).then((login) => {
      this.logins.set(key, login);
      return login;
    });
    this.underWay.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.underWay.get(key) === mine) this.underWay.delete(key);
    }
  }

  private async tryInTurn(options: Parameters<Authenticator['login']>[1]): Promise<Login> {
    const { registry, source, redactor } = this.options;
    // Query the source for each login: credentials may be short-lived.
    const found = await source({ registry, repository: options.repository }, options.signal);
    const candidates: readonly (Credential | undefined)[] = [...found, undefined];
    for (const credential of found) redactor.add(...secretsOf(credential));
    let refusal: unknown;
    for (let index = Math.min(options.from, candidates.length - 1); index < candidates.length; index++) {
      try {
        const { authorization, expiresAtMs } = await this.obtain(candidates[index], options);
        return { authorization, expiresAtMs, candidates, index, hasWorked: false };
      } catch (thrown) {
        if (!isRegistryError(thrown) || thrown.isTemporary) throw thrown;
        refusal ??= thrown;
      }
    }
    throw refused(registry, found, refusal);
  }

  private async obtain(
    credential: Credential | undefined,
    { scopes, signal }: { readonly scopes: readonly string[]; readonly signal: AbortSignal | undefined },
  ): Promise<{ readonly authorization: string | undefined; readonly expiresAtMs: number }> {
    const { registry, isSecure, exchange, clock, redactor } = this.options;
    const forever = Number.POSITIVE_INFINITY;
    if (credential?.kind === 'registry') return { authorization: `Bearer ${credential.token}`, expiresAtMs: forever };
    const challenge = this.challenge;
    if (challenge?.scheme !== 'bearer') {
      if (credential?.kind === 'identity')
        throw new RegistryError('registry-unauthorized', `${registry} accepts a user name and password, not a token`, {
          registry,
        });
      const authorization = credential === undefined ? undefined : basicHeader(credential);
      return { authorization, expiresAtMs: credential?.renewAtMs ?? forever };
    }
    const { token, lifetimeMs } = await fetchToken(exchange, {
      registry,
      isSecure,
      challenge,
      scopes,
      credential,
      signal,
    });
    redactor.add(token);
    const margin = Math.min(renewBeforeMs, lifetimeMs / 2);
    return { authorization: `Bearer ${token}`, expiresAtMs: clock.now() + lifetimeMs - margin };
  }
}

const keyOf = (scopes: readonly string[]) => scopes.join(' ');
const grantOf = (login: Login): Grant => ({ authorization: login.authorization, login });

/** Bearer before Basic, as Docker does. Other schemes are not supported. */
function choose(challenges: readonly Challenge[]): Challenge | undefined {
  return (
    challenges.find(({ scheme, parameters }) => scheme === 'bearer' && parameters['realm'] !== undefined) ??
    challenges.find(({ scheme }) => scheme === 'basic')
  );
}

function refused(registry: string, tried: readonly Credential[], cause: unknown): RegistryError {
  const names = tried.map(({ from }) => from).join(', ');
  const what =
    tried.length === 0 ? 'there are no credentials for it' : `it accepts none of the credentials from ${names}`;
  const status = isRegistryError(cause) ? cause.status : undefined;
  return new RegistryError(
    'registry-unauthorized',
    `cannot log in to ${registry}: ${what}; log in, or request access`,
    {
      registry,
      status,
      cause,
    },
  );
}
