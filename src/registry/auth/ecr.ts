import { type Clock, SupercargoError, systemClock } from '../../base/index.ts';
import type { Credential, CredentialSource } from './credentials.ts';

export interface EcrToken {
  /** Base64 of `AWS:password`, as ECR returns it. */
  readonly authorizationToken: string;
  readonly expiresAtMs: number;
}

/** Gets an ECR token for a region. It is valid for every registry that the identity may read. */
export type GetEcrToken = (region: string, signal: AbortSignal | undefined) => Promise<EcrToken>;

const host =
  /^\d{12}\.dkr[.-]ecr(?:-fips)?\.([a-z0-9][a-z0-9-]*)\.(?:amazonaws\.(?:com(?:\.cn)?|eu)|on\.(?:aws|amazonwebservices\.com\.cn)|sc2s\.sgov\.gov|c2s\.ic\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)$/;

/** The region of a private ECR registry; undefined for any other registry. */
export function ecrRegion(registry: string): string | undefined {
  return host.exec(registry.toLowerCase())?.[1];
}

// Tokens are valid for twelve hours. A copy that starts now must not outlive its token.
const renewBeforeMs = 60 * 60 * 1000;

/** Credentials for private ECR registries, renewed before they expire. At most one request per region at a time. */
export function ecrCredentials(getToken: GetEcrToken, clock: Clock = systemClock): CredentialSource {
  const known = new Map<string, Promise<Credential & { readonly renewAtMs: number }>>();
  const renew = (region: string, signal: AbortSignal | undefined) => {
    const asked = getToken(region, signal).then((token) => {
      const now = clock.now();
      const left = token.expiresAtMs - now;
      return { ...parse(token), renewAtMs: now + Math.max(left - renewBeforeMs, left / 2) };
    });
    known.set(region, asked);
    asked.catch(() => known.get(region) === asked && known.delete(region));
    return asked;
  };
  return async ({ registry }, signal) => {
    const region = ecrRegion(registry);
    if (region === undefined) return [];
    const current = await (known.get(region) ?? renew(region, signal));
    return [clock.now() < current.renewAtMs ? current : await renew(region, signal)];
  };
}

function parse({ authorizationToken }: EcrToken): Credential {
  const decoded = Buffer.from(authorizationToken, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon <= 0) throw new SupercargoError('registry-credentials', 'ECR returned a token of an unknown form');
  return { kind: 'basic', username: decoded.slice(0, colon), password: decoded.slice(colon + 1), from: 'Amazon ECR' };
}

export interface AwsOptions {
  readonly endpoint?: string | undefined;
  /** A provider of @aws-sdk/credential-providers, or fixed keys. Default: the SDK's default chain (IRSA and others). */
  readonly credentials?: AwsKeys | (() => Promise<AwsKeys>) | undefined;
}

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Gets tokens with the AWS SDK, which is loaded on first use. */
export function awsEcrToken({ endpoint, credentials }: AwsOptions = {}): GetEcrToken {
  return async (region, signal) => {
    const { ECRClient, GetAuthorizationTokenCommand } = await import('./aws.ts');
    const client = new ECRClient({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
    });
    try {
      const response = await client.send(
        new GetAuthorizationTokenCommand({}),
        signal === undefined ? {} : { abortSignal: signal },
      );
      const data = response.authorizationData?.[0];
      if (data?.authorizationToken === undefined || data.expiresAt === undefined)
        throw new SupercargoError('registry-credentials', `ECR in ${region} returned no token`, {
          retry: 'backoff',
        });
      return { authorizationToken: data.authorizationToken, expiresAtMs: data.expiresAt.getTime() };
    } catch (thrown) {
      if (thrown instanceof SupercargoError || signal?.aborted) throw thrown;
      const name = thrown instanceof Error ? thrown.name : 'unknown error';
      throw new SupercargoError(
        'registry-credentials',
        `cannot get a token from ECR in ${region} (${name}); check the AWS credentials and ecr:GetAuthorizationToken`,
        { retry: 'backoff' },
      );
    } finally {
      client.destroy();
    }
  };
}
