import { describe, expect, it } from 'vitest';
import { rootFiles, userId } from './root-files.ts';
import type { TarEntry } from './tar.ts';

const file = (path: string, text = path, mode = 0o644): TarEntry => ({
  type: 'file',
  path,
  mode,
  data: Buffer.from(text),
});
const open = (files: readonly TarEntry[]) => rootFiles([{ name: 'some', control: 'Package: some\n', files }]);
const certificate = file('usr/share/ca-certificates/mozilla/B.crt', 'second\n');
const pathsOf = (entries: readonly TarEntry[]) => entries.map(({ path }) => path);
const textOf = (entries: readonly TarEntry[], path: string) => {
  const found = entries.find((entry) => entry.path === path);
  return found?.type === 'file' ? Buffer.from(found.data).toString() : undefined;
};

describe('rootFiles', () => {
  it('puts the files of merged folders into /usr and links the old names', () => {
    const entries = open([file('lib/x/libc.so'), file('bin/git'), certificate]);
    expect(pathsOf(entries)).toEqual(expect.arrayContaining(['usr/lib/x/libc.so', 'usr/bin/git']));
    expect(entries).toContainEqual({ type: 'link', path: 'lib', target: 'usr/lib' });
    expect(pathsOf(entries)).not.toContain('sbin');
  });

  it('joins the certificate authorities in the order of their names', () => {
    const entries = open([certificate, file('usr/share/ca-certificates/mozilla/A.crt', 'first')]);
    expect(textOf(entries, 'etc/ssl/certs/ca-certificates.crt')).toBe('first\nsecond\n');
  });

  it('leaves out documentation but not licences, and removes set-user-ID bits', () => {
    const entries = open([
      certificate,
      file('usr/share/doc/git/README'),
      file('usr/share/doc/git/copyright'),
      file('usr/share/man/man1/git.1'),
      file('usr/lib/ssh-keysign', 'x', 0o4755),
    ]);
    expect(pathsOf(entries)).toContain('usr/share/doc/git/copyright');
    expect(pathsOf(entries)).not.toContain('usr/share/doc/git/README');
    expect(pathsOf(entries)).not.toContain('usr/share/man/man1/git.1');
    expect(entries.find(({ path }) => path === 'usr/lib/ssh-keysign')).toMatchObject({ mode: 0o755 });
  });

  it('has an account for the user of the program, without which ssh refuses to run', () => {
    expect(textOf(open([certificate]), 'etc/passwd')).toContain(`:${userId}:${userId}:`);
  });
});
