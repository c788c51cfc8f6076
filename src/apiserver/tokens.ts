import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { UserInfo } from './operations/context.ts';

/** The tokens of the server: the administrator's, and those issued to service accounts. */
export class Tokens {
  private readonly known: { readonly token: Buffer; readonly user: UserInfo }[] = [];

  constructor(adminToken: string) {
    this.add(adminToken, { username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  }

  /** Compares in constant time: the response time must not reveal how much of a token was right. */
  find(token: string): UserInfo | undefined {
    const given = Buffer.from(token);
    let found: UserInfo | undefined;
    for (const { token: expected, user } of this.known) {
      if (expected.length === given.length && timingSafeEqual(expected, given)) found = user;
    }
    return found;
  }

  /** A service account's token, valid until the server stops. */
  issue(namespace: string, account: string): string {
    const token = randomBytes(24).toString('base64url');
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    this.add(token, { username: `system:serviceaccount:${namespace}:${account}`, groups });
    return token;
  }

  private add(token: string, user: UserInfo): void {
    this.known.push({ token: Buffer.from(token), user });
  }
}
