import { createHash, timingSafeEqual } from 'node:crypto';
import { OciError } from './errors.ts';

/** User names and passwords. */
export type Users = Readonly<Record<string, string>>;

/** Throws unless the header has a known user name and its password. */
export function authenticate(header: string | undefined, users: Users): void {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  const [, name = '', password = ''] = /^([^:]*):([\s\S]*)$/.exec(decode(encoded)) ?? [];
  const expected = Object.hasOwn(users, name) ? users[name]! : undefined;
  // Compare also for an unknown user name, so that the time reveals nothing.
  const isRight = timingSafeEqual(hash(password), hash(expected ?? ''));
  if (expected !== undefined && isRight) return;
  throw new OciError('UNAUTHORIZED', 'a name and its password are needed', {
    headers: { 'www-authenticate': 'Basic realm="supercargo"' },
  });
}

const decode = (text: string | undefined) => (text === undefined ? '' : Buffer.from(text, 'base64').toString('utf8'));
const hash = (text: string) => createHash('sha256').update(text).digest();
