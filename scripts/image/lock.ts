import { readFileSync, writeFileSync } from 'node:fs';

/** What an image is made of besides the program: each package by version and SHA-256. */
export interface ImageLock {
  readonly node: { readonly version: string; readonly sha256: Readonly<Record<Architecture, string>> };
  readonly debian: Readonly<Record<Architecture, readonly DebianPackage[]>>;
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

const lockFile = new URL('./packages.lock.json', import.meta.url);

export const readLock = (): ImageLock => parseLock(readFileSync(lockFile, 'utf8'));
export const writeLock = (lock: ImageLock): void => writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);

/** Throws one message that names the place of the first mistake. */
export function parseLock(text: string): ImageLock {
  const { node, debian } = objectAt(JSON.parse(text), 'the lock file');
  const { version, sha256 } = objectAt(node, 'node');
  const sums = objectAt(sha256, 'node.sha256');
  const packages = objectAt(debian, 'debian');
  return {
    node: {
      version: matching(version, /^\d+\.\d+\.\d+$/, 'node.version'),
      sha256: forEachArchitecture((one) => sum(sums[one], `node.sha256.${one}`)),
    },
    debian: forEachArchitecture((one) => {
      const list = packages[one];
      if (!Array.isArray(list) || list.length === 0) throw new Error(`debian.${one} must be a list of packages`);
      return list.map((entry, i) => parsePackage(entry, `debian.${one}[${i}]`));
    }),
  };
}

export const forEachArchitecture = <T>(make: (architecture: Architecture) => T): Record<Architecture, T> => ({
  amd64: make('amd64'),
  arm64: make('arm64'),
});

function parsePackage(value: unknown, place: string): DebianPackage {
  const { name, version, sha256 } = objectAt(value, place);
  return {
    name: matching(name, /^[a-z0-9][a-z0-9.+-]+$/, `${place}.name`),
    version: matching(version, /^[A-Za-z0-9.+:~-]+$/, `${place}.version`),
    sha256: sum(sha256, `${place}.sha256`),
  };
}

const sum = (value: unknown, place: string) => matching(value, /^[0-9a-f]{64}$/, place);

function matching(value: unknown, pattern: RegExp, place: string): string {
  if (typeof value !== 'string' || !pattern.test(value))
    throw new Error(`${place} must match ${pattern.source}, not ${JSON.stringify(value)}`);
  return value;
}

function objectAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place} must be an object`);
  return value as Readonly<Record<string, unknown>>;
}
