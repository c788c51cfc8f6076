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
  /** With which it is assumed; the default chain without them. */
  readonly keys?: AwsKeys | undefined;
}

export interface TemporaryKeys extends AwsKeys {
  readonly expiration?: Date | undefined;
}

/** Asks STS for the keys of a role. */
export type AssumeRole = (role: Role) => Promise<TemporaryKeys>;

/** The keys of roles, kept until shortly before they expire: a scan is opened anew each time, and STS is throttled. */
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
    // A failure is told to whoever asked, and the next one asks again.
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
/** Longer than the longest usual scan. */
const renewBeforeMs = 5 * 60_000;

/** Keys are in no table as they are. */
const idOf = ({ region, roleArn, keys }: Role) =>
  createHash('sha256')
    .update(JSON.stringify([region, roleArn, keys?.accessKeyId, keys?.secretAccessKey, keys?.sessionToken]))
    .digest('hex');

async function assumeRole({ region, roleArn, keys }: Role): Promise<TemporaryKeys> {
  const { fromTemporaryCredentials } = await import('./aws.ts');
  return fromTemporaryCredentials({
    params: { RoleArn: roleArn, RoleSessionName: 'supercargo' },
    // The endpoint of a policy is one of ECR alone: a private link of it knows nothing of roles.
    clientConfig: { region },
    ...(keys ? { masterCredentials: definedKeys(keys) } : {}),
  })();
}

/** The SDK tells a field that is undefined from one that is not there. */
export const definedKeys = ({ accessKeyId, secretAccessKey, sessionToken }: AwsKeys) => ({
  accessKeyId,
  secretAccessKey,
  ...(sessionToken === undefined ? {} : { sessionToken }),
});
