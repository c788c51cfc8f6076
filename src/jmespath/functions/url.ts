import { isIP } from 'node:net';
import { CallFailure, invalid } from '../errors.ts';
import { define, type FunctionSpec } from './signature.ts';

/** True unless the host is, or resolves to, a loopback or private address. Names are resolved by the environment. */
export const urlFunctions: readonly FunctionSpec[] = [
  define('is_external_url', ['string'], (run, url: string) => {
    run.chargeText(url.length);
    const host = hostOf(url);
    if (isIP(host) !== 0) return !isInternal(host);
    if (!run.env.resolveHost)
      throw new CallFailure('jmespath-not-available', `the host ${host} cannot be resolved here`);
    return !run.env.resolveHost(host).some(isInternal);
  }),
];

function hostOf(url: string): string {
  // Without the two slashes there is no host, only a path: nothing to resolve, as in Go.
  const found = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)(?::\d*)?(?:[/?#]|$)/.exec(url);
  const host = (found?.[1] ?? '').replace(/^\[|\]$/g, '');
  if (host === '') throw invalid(`no host in URL ${url.slice(0, 200)}`);
  return host;
}

function isInternal(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const [a = -1, b = -1] = (mapped ?? address).split('.').map(Number);
  if (isIP(mapped ?? address) === 4) {
    return a === 127 || a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168);
  }
  const groups = groupsOf(address);
  const isLoopback = groups[7] === 1 && groups.slice(0, 7).every((group) => group === 0);
  return isLoopback || ((groups[0] ?? 0) & 0xfe00) === 0xfc00;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
