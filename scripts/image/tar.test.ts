import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseTar, renderTar, type TarEntry } from './tar.ts';

const file = (path: string, content: string, mode = 0o644): TarEntry => ({
  type: 'file',
  path,
  mode,
  data: Buffer.from(content),
});
const long = `deep/${'folder-of-some-length/'.repeat(8)}file`;
const entries: readonly TarEntry[] = [
  file('usr/bin/tool', '#!tool', 0o755),
  { type: 'link', path: 'bin', target: 'usr/bin' },
  { type: 'folder', path: 'tmp', mode: 0o1777 },
  file(long, 'long'),
  { type: 'link', path: 'to-long', target: long },
  file('empty', ''),
];

describe('renderTar', () => {
  it('gives the same bytes for the same entries in any order', () => {
    expect(renderTar([...entries].reverse()).equals(renderTar(entries))).toBe(true);
  });

  it('gives other bytes for another content, mode or path', () => {
    const before = renderTar([file('a', 'x')]);
    for (const other of [file('a', 'y'), file('a', 'x', 0o755), file('b', 'x')])
      expect(renderTar([other]).equals(before)).toBe(false);
  });

  it('is read back entry by entry, long names and parents included', () => {
    const read = parseTar(renderTar(entries));
    for (const entry of entries) {
      const found = read.find(({ path }) => path === entry.path);
      expect(found?.type).toBe(entry.type);
      if (entry.type === 'file' && found?.type === 'file')
        expect([found.mode, Buffer.from(found.data).toString()]).toEqual([
          entry.mode,
          Buffer.from(entry.data).toString(),
        ]);
      if (entry.type === 'link' && found?.type === 'link') expect(found.target).toBe(entry.target);
    }
    expect(read.map(({ path }) => path)).toContain('usr/bin');
  });

  it('is an archive for the system’s tar', ({ skip }) => {
    const listed = spawnSync('tar', ['-tf', '-'], { input: renderTar(entries), encoding: 'utf8' });
    skip(listed.error !== undefined, 'no tar on this machine');
    expect(listed.stderr).toBe('');
    expect(listed.stdout.split('\n')).toEqual(expect.arrayContaining(['bin', 'tmp/', long]));
  });
});

describe('parseTar', () => {
  it('refuses an archive that is cut off', () => {
    const archive = renderTar([file('a', 'x'.repeat(2000))]);
    expect(() => parseTar(archive.subarray(0, 1024))).toThrow('cut off');
  });
});
