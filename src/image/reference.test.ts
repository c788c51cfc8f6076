import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from './digest.ts';
import { parseReference, parseRepository, renderFamiliar, renderReference, withDefaultTag } from './reference.ts';

const digest = digestOf('x');
const normal = (text: string) => renderReference(parseReference(text));

describe('a reference', () => {
  it.each([
    ['busybox', 'docker.io/library/busybox'],
    ['busybox:1.36', 'docker.io/library/busybox:1.36'],
    ['docker.io/busybox', 'docker.io/library/busybox'],
    ['index.docker.io/busybox', 'docker.io/library/busybox'],
    ['docker.io/library/busybox', 'docker.io/library/busybox'],
    ['grafana/grafana', 'docker.io/grafana/grafana'],
    ['localhost/x', 'localhost/x'],
    ['localhost:5000/x', 'localhost:5000/x'],
    ['quay.io/a/b/c:v1', 'quay.io/a/b/c:v1'],
    ['registry:5000/x:1', 'registry:5000/x:1'],
    ['Uppercase/x', 'Uppercase/x'],
    ['[::1]/x', '[::1]/x'],
    ['[fd00::1]:5000/a/b:t', '[fd00::1]:5000/a/b:t'],
    ['10.0.0.1:80/a', '10.0.0.1:80/a'],
    ['a__b/c--d/e.f', 'docker.io/a__b/c--d/e.f'],
    [`busybox@${digest}`, `docker.io/library/busybox@${digest}`],
    [`quay.io/x/y:v1@${digest}`, `quay.io/x/y:v1@${digest}`],
    ['busybox:_x', 'docker.io/library/busybox:_x'],
  ])('%s is %s', (text, full) => expect(normal(text)).toBe(full));

  it.each([
    ['', 'it is empty'],
    ['Busybox', 'must be in lower case'],
    ['quay.io/Foo', 'must be in lower case'],
    ['busybox:', 'it is empty'],
    ['busybox:-x', 'is no tag'],
    [`busybox:${'x'.repeat(129)}`, '129 characters, and 128 are allowed'],
    ['busybox@sha256:abc', 'sha256 has 64 hexadecimal digits, not 3'],
    ['busybox@md5:abc', 'the algorithm "md5" is not supported'],
    [`busybox@sha256:${'A'.repeat(64)}`, 'in lower case'],
    ['busybox@', 'is no digest'],
    [`a@${digest}@${digest}`, 'is no digest'],
    ['a//b', 'has an empty part'],
    ['/a', 'has an empty part'],
    ['a/', 'has an empty part'],
    ['a___b', 'joined by'],
    ['-a', 'joined by'],
    ['a:b:c', 'joined by'],
    ['quay.io:99999/x', 'is no port'],
    ['quay.io:/x', 'is no port'],
    ['quay..io/x', 'a host name has'],
    ['[::g]/x', 'is no IPv6 address'],
    ['quay.io/', 'the name of its repository is missing'],
    ['https://quay.io/x', 'leave out what stands before'],
    ['a b', 'blanks'],
    ['f'.repeat(64), 'the id of an image'],
    [`quay.io/${'x'.repeat(256)}`, '256 characters, and 255 are allowed'],
    ['x'.repeat(2000), 'it has 2000 characters'],
  ])('rejects %s: %s', (text, why) => {
    expect(() => parseReference(text)).toThrow(why);
    expect(() => parseReference(text)).toThrow('is no image');
  });

  it('parses to the same value after rendering, in full and in short form', () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,5}(?:(?:\.|_|__|-{1,3})[a-z0-9]{1,4}){0,2}$/);
    const registry = fc.oneof(
      fc.constantFrom('docker.io', 'localhost', 'localhost:5000', '[::1]:80', 'quay.io'),
      fc.stringMatching(/^[a-z0-9]{1,6}\.[a-z]{2,3}$/),
    );
    const version = fc.constantFrom('', ':v1', `@${digest}`, `:v1@${digest}`);
    fc.assert(
      fc.property(registry, fc.array(part, { minLength: 1, maxLength: 4 }), version, (host, parts, suffix) => {
        const parsed = parseReference(`${host}/${parts.join('/')}${suffix}`);
        expect(parseReference(renderReference(parsed))).toEqual(parsed);
        expect(parseReference(renderFamiliar(parsed))).toEqual(parsed);
      }),
    );
  });

  it('is shortened as Docker does', () => {
    expect(renderFamiliar(parseReference('docker.io/library/busybox:1'))).toBe('busybox:1');
    expect(renderFamiliar(parseReference('docker.io/library/a/b'))).toBe('library/a/b');
    expect(renderFamiliar(parseReference('quay.io/a/b'))).toBe('quay.io/a/b');
  });

  it('gets the tag latest only without tag and digest', () => {
    expect(withDefaultTag(parseReference('a')).tag).toBe('latest');
    expect(withDefaultTag(parseReference(`a@${digest}`)).tag).toBeUndefined();
  });

  it('with a tag or digest is not a repository', () => {
    expect(parseRepository('quay.io/a')).toEqual({ registry: 'quay.io', path: 'a' });
    expect(() => parseRepository('quay.io/a:1')).toThrow('a repository has no tag or digest');
  });
});
