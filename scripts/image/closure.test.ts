import { describe, expect, it } from 'vitest';
import { closureOf, parseRecords } from './closure.ts';

const listing = `Package: git
Version: 1:2.39.5-0+deb12u2
Depends: libc6 (>= 2.34), perl, git-man (<< 1:2.39.5-.), libcurl3-gnutls:any | other
Description: fast
 a second line: not a field
SHA256: aa

Package: libcurl3-gnutls
Version: 7.88
Pre-Depends: libc6
SHA256: bb

Package: libc6
Version: 2.36
SHA256: cc
`;
const show = async (names: readonly string[]) => parseRecords(listing).filter(({ name }) => names.includes(name));

describe('closureOf', () => {
  it('follows dependencies, first alternatives only, and leaves out what is named', async () => {
    expect(await closureOf(['git'], new Set(['perl', 'git-man']), show)).toEqual([
      { name: 'git', version: '1:2.39.5-0+deb12u2', sha256: 'aa' },
      { name: 'libc6', version: '2.36', sha256: 'cc' },
      { name: 'libcurl3-gnutls', version: '7.88', sha256: 'bb' },
    ]);
  });

  it('names a package that the sources do not have', async () => {
    await expect(closureOf(['git'], new Set(['git-man']), show)).rejects.toThrow('no package perl');
  });
});
