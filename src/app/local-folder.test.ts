import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLocalFolder, openLocalFolder, openTemporaryFolder } from './local-folder.ts';

describe('the folder of the user', () => {
  let dir: string;
  const name = `supercargo-${userInfo().username}`;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'local-folder-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const open = (more: Partial<Parameters<typeof openLocalFolder>[0]> = {}) =>
    openLocalFolder({ env: {}, temporaryDir: dir, ...more });

  it('is created for the user only, and found again', () => {
    expect(findLocalFolder({ env: {}, temporaryDir: dir })).toBeUndefined();
    expect(open()).toBe(join(dir, name));
    expect(statSync(open()).mode & 0o777).toBe(0o700);
    expect(findLocalFolder({ env: {}, temporaryDir: dir })).toBe(join(dir, name));
  });

  it('is in the runtime folder if the user owns it, otherwise in the temporary one', () => {
    const runtime = join(dir, 'run');
    mkdirSync(runtime, { mode: 0o700 });
    expect(open({ env: { XDG_RUNTIME_DIR: runtime } })).toBe(join(runtime, 'supercargo'));
    expect(openTemporaryFolder({ env: { XDG_RUNTIME_DIR: runtime }, temporaryDir: dir })).toBe(join(dir, name));
    chmodSync(runtime, 0o777);
    for (const XDG_RUNTIME_DIR of [runtime, 'run', '', join(dir, 'absent')])
      expect(open({ env: { XDG_RUNTIME_DIR } })).toBe(join(dir, name));
  });

  it('of another user is rejected', () => {
    mkdirSync(join(dir, name), { mode: 0o700 });
    expect(() => open({ uid: (process.getuid?.() ?? 0) + 1 })).toThrow('belongs to another user');
  });

  it.each([0o777, 0o770, 0o755, 0o710])('that is open to others (%o) is rejected', (mode) => {
    mkdirSync(join(dir, name));
    chmodSync(join(dir, name), mode);
    expect(() => open()).toThrow('is open to other users');
    expect(() => findLocalFolder({ env: {}, temporaryDir: dir })).toThrow('is open to other users');
  });

  it('that is a symbolic link is rejected, whatever its target', () => {
    const target = join(dir, 'target');
    mkdirSync(target, { mode: 0o700 });
    for (const to of [target, join(dir, 'absent')]) {
      symlinkSync(to, join(dir, name));
      expect(() => open()).toThrow('is not a folder');
      rmSync(join(dir, name));
    }
    expect(existsSync(join(dir, 'absent'))).toBe(false);
  });

  it('is rejected if other users could replace it', () => {
    chmodSync(dir, 0o777);
    expect(() => open()).toThrow('other users may write to');
    chmodSync(dir, 0o1777);
    expect(open()).toBe(join(dir, name));
  });
});
