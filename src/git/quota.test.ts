import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyQuota } from './quota.ts';

describe('the disk space of all copies', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'supercargo-quota-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const copy = (name: string, bytes: number) => {
    const path = join(dir, name);
    mkdirSync(join(path, 'objects'), { recursive: true });
    writeFileSync(join(path, 'objects', 'pack'), Buffer.alloc(bytes));
    return path;
  };

  it('is freed from the least recently used copy on, and from no copy in use', async () => {
    const quota = new CopyQuota(1_000, 250);
    const [old, recent, busy] = [copy('old', 100), copy('recent', 100), copy('busy', 100)];
    for (const repository of [recent, old]) quota.enter(repository);
    quota.leave(old);
    quota.leave(recent);
    quota.enter(busy);
    expect(await quota.findSurplus()).toEqual([old]);
    quota.forget(old);
    expect(await quota.findSurplus()).toEqual([]);
  });

  it('stops the largest copy in use when all together exceed the limit', async () => {
    const quota = new CopyQuota(1_000, 250);
    const [small, large] = [copy('small', 100), copy('large', 200)];
    const stopped: string[] = [];
    const watches = [small, large].map((repository) => {
      quota.enter(repository);
      return quota.watch(repository, () => stopped.push(repository));
    });
    await expect.poll(() => stopped).toContain(large);
    for (const end of watches) end();
    expect(stopped).not.toContain(small);
  });
});
