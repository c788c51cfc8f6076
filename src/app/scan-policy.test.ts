import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pushImage } from '../../test/support/push-image.ts';
import { silentLogger } from '../base/index.ts';
import { memoryFiles } from '../manifests/index.ts';
import { createRegistryClient } from '../registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../registryserver/index.ts';
import { scanPolicy } from './scan-policy.ts';

const plain = (more: object) => ({
  ociRepository: { registry: 'x', repositoryPattern: 'a', ...more },
  policy: { alphabetical: {} },
});

describe('scanning for a policy on this machine', () => {
  let registry: RegistryServer;
  beforeAll(async () => {
    registry = await startRegistryServer();
    const client = createRegistryClient();
    for (const image of ['shop/web:1.0.0', 'shop/web:1.1.0', 'shop/web:latest', 'other:1.0.0'])
      await pushImage(client, `${registry.host}/${image}`);
    await client.close();
  });
  afterAll(() => registry.stop());

  const scan = (spec: object) =>
    scanPolicy({
      files: memoryFiles({
        'p.yaml': JSON.stringify({
          apiVersion: 'automation.gitops.io/v1beta1',
          kind: 'ImageResourcePolicy',
          metadata: { name: 'p' },
          spec: { templateRef: { name: 't' }, ...spec },
        }),
      }),
      policy: 'p.yaml',
      env: {},
      signal: new AbortController().signal,
      log: silentLogger,
    });
  const source = (more: object = {}) => ({
    ociRepository: { registry: registry.host, repositoryPattern: 'shop/*', ...more },
  });

  it('reports for every tag whether it is chosen, and why', async () => {
    const { chosen, decisions, notes } = await scan({
      ...source({ secretRef: { name: 'pull' } }),
      policy: { semver: { range: '>=1.0.0' } },
    });
    expect(chosen).toMatchObject([{ repository: 'shop/web', tag: '1.1.0', registry: registry.host }]);
    expect(decisions.map(({ candidate, reason }) => `${candidate.tag}: ${reason}`)).toEqual([
      '1.1.0: the newest in >=1.0.0',
      '1.0.0: 1.1.0 is preferred',
      'latest: it is not a version',
    ]);
    expect(notes).toEqual([
      'spec.ociRepository.secretRef (pull) was not read: the credentials are those of this machine',
    ]);
  });

  it.each([
    [{ policy: { alphabetical: {} } }, 'exactly one of ecrRepository, ociRepository must be set'],
    [{ ociRepository: { registry: 'x' }, policy: { alphabetical: {} } }, 'p.yaml: spec.ociRepository: '],
    [{ ociRepository: { registry: 'x', repositoryPattern: 'a' }, policy: {} }, 'p.yaml: spec.policy: one of'],
    [{ ociRepository: { registry: 'x', repositoryPattern: 'a' } }, 'spec.policy: is required'],
    [{ ...plain({ maxRepositories: 201 }) }, 'spec.ociRepository.maxRepositories'],
    [{ ...plain({ maxConcurrentScans: 0 }) }, 'spec.ociRepository.maxConcurrentScans'],
    [{ ...plain({ registr: 'y' }) }, 'spec.ociRepository.registr: is no field of this kind'],
    [{ ...plain({}), interval: 'soon' }, 'spec.interval'],
    [{ ...plain({}), ttlDays: 400 }, 'spec.ttlDays'],
    [{ ...plain({}), policy: { alphabetical: { order: 'down' } } }, 'spec.policy.alphabetical.order'],
    [
      { ociRepository: { registry: '127.0.0.1:1', repositoryPattern: 'a' }, policy: { alphabetical: {} } },
      '127.0.0.1:1',
    ],
  ])('%j is refused: %s', async (spec, why) => {
    await expect(scan(spec)).rejects.toThrow(why);
  });
});
