/** A strict semantic version: three numbers without leading zeros, pre-release and build optional. */
export interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly (bigint | string)[];
}

const number = String.raw`(0|[1-9]\d{0,19})`;
const identifiers = String.raw`[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`;
const written = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${identifiers}))?(?:\\+${identifiers})?$`);
const maxUint64 = 2n ** 64n - 1n;

/** Undefined for any text that is not a version. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, pre] = written.exec(text) ?? [];
  if (major === undefined) return undefined;
  const numbers = [BigInt(major), BigInt(minor!), BigInt(patch!)] as const;
  const parts = pre === undefined ? [] : pre.split('.');
  if (numbers.some((part) => part > maxUint64) || parts.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers, pre: parts.map((part) => (/^\d{1,20}$/.test(part) ? BigInt(part) : part)) };
}

/** Negative, zero or positive; a pre-release comes before its release. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const order = comparePart(a.numbers[i]!, b.numbers[i]!);
    if (order !== 0) return order;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const order = comparePart(a.pre[i]!, b.pre[i]!);
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

/** Numbers come before words. */
function comparePart(a: bigint | string, b: bigint | string): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
