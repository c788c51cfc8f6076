import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../base/index.ts';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface Role {
  readonly region: string;
  readonly roleArn: string;
  /** The keys to assume the role with; the default chain if undefined. */
  readonly keys?: AwsKeys | undefined;
}

interface TemporaryKeys extends AwsKeys {
  readonly expiration?: Date | undefined;
}

/** Requests credentials for a role from STS. */
type AssumeRole = (role: Role) => Promise<TemporaryKeys>;

/** Role credentials, cached until shortly before they expire: every scan opens a new client, and STS is throttled. */
export class RoleCredentials {
  private readonly kept = new Map<string, Promise<TemporaryKeys>>();

  constructor(
    private readonly assume: AssumeRole = assumeRole,
    private readonly clock: Pick<Clock, 'now'> = systemClock,
  ) {}

  async get(role: Role): Promise<TemporaryKeys> {
    const id = idOf(role);
    const kept = await this.kept.get(id)?.catch(() => undefined);
    if (kept && this.isFresh(kept)) return kept;
    const pending = this.assume(role);
    if (this.kept.size >= maxRoles) this.kept.clear();
    this.kept.set(id, pending);
    // The caller gets the error, and the next call requests again.
    pending.catch(() => this.kept.get(id) === pending && this.kept.delete(id));
    return pending;
  }

  /** For keys that AWS no longer accepts. */
  forget(role: Role): void {
    this.kept.delete(idOf(role));
  }

  private isFresh({ expiration }: TemporaryKeys): boolean {
    return expiration !== undefined && expiration.getTime() - this.clock.now() > renewBeforeMs;
  }
}

const maxRoles = 200;
/** Longer than a usual scan. */
const renewBeforeMs = 5 * 60_000;

/** Hashed, so that no map key contains credentials. */
const idOf = ({ region, roleArn, keys }: Role) =>
  createHash('sha256')
    .update(JSON.stringify([region, roleArn, keys?.accessKeyId, keys?.secretAccessKey, keys?.sessionToken]))
    .digest('hex');

async function assumeRole({ region, roleArn, keys }: Role): Promise<TemporaryKeys> {
  const { fromTemporaryCredentials } = await import('./aws.ts');
  return fromTemporaryCredentials({
    params: { RoleArn: roleArn, RoleSessionName: 'supercargo' },
    // The policy's endpoint is for ECR only: its private link does not serve STS.
    clientConfig: { region },
    ...(keys ? { masterCredentials: definedKeys(keys) } : {}),
  })();
}

/** The SDK treats an undefined field differently from a missing one. */
export const definedKeys = ({ accessKeyId, secretAccessKey, sessionToken }: AwsKeys) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken === undefined ? {} : { sessionToken }),
});
