import { describe, expect, it } from 'vitest';
import { configOf } from '../config.ts';
import { createIsCopy } from './backup-registry.ts';

type Informers = Parameters<typeof createIsCopy>[0]['informers'];

/** MirroredImages with these repositories. */
const listing = (...repositories: readonly string[]) =>
  ({
    for: () => ({ byIndex: (_: string, key: string) => (repositories.includes(key) ? [{}] : []) }),
  }) as unknown as Informers;

const isCopyOf = (registry: string | undefined, env: Readonly<Record<string, string>>, ...copies: readonly string[]) =>
  createIsCopy({ config: configOf(registry ? { mirror: { registry } } : {}), env, informers: listing(...copies) });

const at = (registry: string, path: string) => ({ registry, path });

describe('a repository holds copies', () => {
  it('when it is below the path of the backup registry, compared by path segment', () => {
    const isCopy = isCopyOf('r.example/copies', {});
    expect(isCopy(at('r.example', 'copies/docker.io/library/nginx'))).toBe(true);
    expect(isCopy(at('r.example', 'copies-of-mine/app'))).toBe(false);
    expect(isCopy(at('other.example', 'copies/app'))).toBe(false);
  });

  it('when the environment names the backup registry', () => {
    expect(isCopyOf('r.example/copies', { BACKUP_REGISTRY: 'r.example/backup' })(at('r.example', 'backup/app'))).toBe(
      true,
    );
  });

  it('when a MirroredImage names it, and only then if the backup registry has no path', () => {
    const isCopy = isCopyOf('r.example', {}, 'r.example/docker.io/library/nginx');
    expect(isCopy(at('r.example', 'docker.io/library/nginx'))).toBe(true);
    expect(isCopy(at('r.example', 'team/app'))).toBe(false);
    expect(isCopyOf(undefined, {}, 'r.example/x')(at('r.example', 'x'))).toBe(true);
  });
});
