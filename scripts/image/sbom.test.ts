import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLock } from './lock.ts';
import { renderSbom } from './sbom.ts';

const lock = readLock();
const packageLock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const input = {
  lock,
  version: '1.2.3',
  created: '2026-01-01T00:00:00Z',
  digest: `sha256:${'0'.repeat(64)}`,
  packageLock,
};
interface Spdx {
  readonly packages: readonly { readonly SPDXID: string; readonly name: string; readonly versionInfo: string }[];
  readonly relationships: readonly { readonly relatedSpdxElement: string }[];
}
const render = () => JSON.parse(renderSbom({ ...input, architecture: 'amd64' })) as Spdx;

describe('renderSbom', () => {
  it('lists Node, every Debian package and the bundled npm packages, with versions', () => {
    const found = new Map(render().packages.map(({ name, versionInfo }) => [name, versionInfo]));
    expect(found.get('node')).toBe(lock.node.version);
    for (const { name, version } of lock.debian.amd64) expect(found.get(name)).toBe(version);
    const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) expect(found.get(name)).toBe(version);
    expect(found.has('vitest')).toBe(false);
  });

  it('relates every package once, by an id of its own', () => {
    const { packages, relationships } = render();
    const ids = packages.map(({ SPDXID }) => SPDXID);
    expect(new Set(ids).size).toBe(ids.length);
    expect(relationships.map(({ relatedSpdxElement }) => relatedSpdxElement).sort()).toEqual([...ids].sort());
    for (const id of ids) expect(id).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
  });

  it('is the same text for the same input', () => {
    expect(renderSbom({ ...input, architecture: 'arm64' })).toBe(renderSbom({ ...input, architecture: 'arm64' }));
  });
});
