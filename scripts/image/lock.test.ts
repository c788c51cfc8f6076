import { describe, expect, it } from 'vitest';
import { architectures, parseLock, readLock } from './lock.ts';

const valid = () => {
  const sha256 = 'a'.repeat(64);
  const debian = [{ name: 'git', version: '1:2.39.5-0+deb12u2', sha256 }];
  return {
    node: { version: '22.1.0', sha256: { amd64: sha256, arm64: sha256 } },
    debian: { amd64: debian, arm64: debian },
  };
};

describe('the lock of the image', () => {
  it('pins the same packages for both architectures, git and ssh among them', () => {
    const lock = readLock();
    for (const architecture of architectures) {
      const names = lock.debian[architecture].map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['git', 'openssh-client', 'ca-certificates', 'libc6']));
      expect(new Set(names).size).toBe(names.length);
    }
    expect(lock.node.version).toMatch(/^22\./);
  });

  it.each([
    ['a version range', (lock: ReturnType<typeof valid>) => void (lock.node.version = '^22'), 'node.version'],
    ['no sum', (lock: ReturnType<typeof valid>) => void (lock.debian.amd64[0]!.sha256 = ''), 'debian.amd64[0].sha256'],
    ['an option as name', (lock: ReturnType<typeof valid>) => void (lock.debian.arm64[0]!.name = '--x'), 'debian.a'],
    ['no packages', (lock: ReturnType<typeof valid>) => void (lock.debian.arm64 = []), 'debian.arm64'],
  ])('refuses %s and names the place', (_, spoil, place) => {
    const lock = valid();
    expect(parseLock(JSON.stringify(lock))).toEqual(lock);
    spoil(lock);
    expect(() => parseLock(JSON.stringify(lock))).toThrow(place);
  });
});
