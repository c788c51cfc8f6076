import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from './digest.ts';
import { createImageMapper, type Mapping, mapRepository, parseTarget } from './mapping.ts';
import { parseReference, renderReference, renderRepository } from './reference.ts';
import { isRepositoryPath } from './repository-name.ts';

const map = (text: string, mapping: Mapping, target = 'backup.example') =>
  renderReference(createImageMapper({ target: parseTarget(target), mapping }).map(parseReference(text)));

describe('the name of a copy', () => {
  it.each([
    ['busybox', 'path', 'backup.example/docker.io/library/busybox:latest'],
    ['busybox:1', 'path', 'backup.example/docker.io/library/busybox:1'],
    ['localhost:5000/a/b:1', 'path', 'backup.example/localhost_5000/a/b:1'],
    ['[fd00::1]:5000/a:1', 'path', 'backup.example/ip6__fd00-0-0-0-0-0-0-1_5000/a:1'],
    ['QUAY.io/a:1', 'path', 'backup.example/quay.io/a:1'],
    ['busybox', 'flat', 'backup.example/docker_io__library__busybox:latest'],
    ['quay.io/a-b/c_d.e--f', 'flat', 'backup.example/quay_io__a-b__c--d_e----f:latest'],
    ['busybox', 'basename', 'backup.example/busybox:latest'],
  ] as const)('%s by %s is %s', (text, mapping, copy) => expect(map(text, mapping)).toBe(copy));

  it('matches the seed, by basename on Docker Hub', () => {
    expect(map('busybox:latest', 'basename', 'docker.io/piotrkpcbackup')).toBe(
      'docker.io/piotrkpcbackup/busybox:latest',
    );
  });

  it('keeps the tag beside the digest, and adds a tag for a source with only a digest', () => {
    const digest = digestOf('x');
    expect(map(`a:1@${digest}`, 'path')).toBe(`backup.example/docker.io/library/a:1@${digest}`);
    expect(map(`a@${digest}`, 'path')).toMatch(/library\/a:copy-sha256-[0-9a-f]{64}@sha256:/);
  });

  it('differs for every source, and is always a valid name', () => {
    const part = fc.stringMatching(/^[a-c](?:(?:\.|_|__|-{1,3})[a-c]){0,2}$/);
    const registry = fc.oneof(
      fc.stringMatching(/^[a-c](?:-[a-c]|\.[a-c]){1,2}(?::(?:80|443))?$/).filter((host) => /[.:]/.test(host)),
      fc.constantFrom('[a::b]:80', '[a::]', '[::a]:443', 'localhost', 'localhost:80', 'ip6:80'),
    );
    const source = fc.record({
      registry,
      path: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    });
    const target = parseTarget('backup.example/x');
    for (const mapping of ['path', 'flat'] as const)
      fc.assert(
        fc.property(source, source, (one, other) => {
          const [first, second] = [mapRepository(one, target, mapping), mapRepository(other, target, mapping)];
          expect(isRepositoryPath(first.path)).toBe(true);
          if (mapping === 'flat') expect(first.path).toMatch(/^x\/[a-z0-9_-]+$/);
          expect(first.path === second.path).toBe(renderRepository(one) === renderRepository(other));
        }),
        { numRuns: 2000 },
      );
  });

  it('rejects a second source by basename, also when the first was copied long ago', () => {
    const target = parseTarget('backup.example');
    const mapper = createImageMapper({ target, mapping: 'basename' });
    mapper.map(parseReference('busybox'));
    mapper.map(parseReference('busybox:2'));
    expect(() => mapper.map(parseReference('quay.io/x/busybox'))).toThrow(
      'quay.io/x/busybox cannot be copied to backup.example/busybox: that is the copy of docker.io/library/busybox',
    );
    const taken = [[parseReference('backup.example/a'), parseReference('quay.io/b/a')]] as const;
    const later = createImageMapper({ target, mapping: 'basename', taken });
    expect(() => later.map(parseReference('a'))).toThrow('that is the copy of quay.io/b/a');
  });

  it('rejects a name that would be too long', () => {
    expect(() => map(`quay.io/${'x'.repeat(250)}`, 'path')).toThrow('which has 258 characters; 255 are allowed');
  });

  it('is recognised by its parts, not by its prefix', () => {
    const { isCopy } = createImageMapper({ target: parseTarget('docker.io/foo'), mapping: 'path' });
    expect(isCopy(parseReference('docker.io/foo/x'))).toBe(true);
    expect(isCopy(parseReference('docker.io/foobar/x'))).toBe(false);
    expect(isCopy(parseReference('docker.io/foo'))).toBe(false);
  });

  it.each(['', 'a/B', 'host/x:1', 'host/', 'https://host'])('rejects the target %j', (text) => {
    expect(() => parseTarget(text)).toThrow();
  });
});
