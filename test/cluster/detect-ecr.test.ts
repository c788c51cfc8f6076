import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compileImagePattern, compileSelection, ecrSource, scan } from '../../src/detect/index.ts';
import { type EcrImages, ecrImages } from '../support/ecr-images.ts';
import { findMoto, type Moto, startMoto } from '../support/moto.ts';
import { missingOf } from '../support/skip.ts';

const program = findMoto();
const missing = missingOf('images of ECR', { moto_server: program });

const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'example' };
const region = 'eu-central-1';

describe.skipIf(missing !== undefined)('images of ECR', () => {
  let moto: Moto;
  let ecr: EcrImages;
  beforeAll(async () => {
    moto = await startMoto(program!);
    ecr = ecrImages({ region, endpoint: moto.endpoint, keys });
  }, 90_000);
  afterAll(async () => {
    ecr?.close();
    await moto?.stop();
  });

  const push = async (repository: string, ...tags: readonly string[]) => {
    await ecr.createRepository(repository);
    for (const tag of tags) await ecr.put(repository, tag);
  };
  const look = async (
    pattern: string,
    options: { readonly roleArn?: string; readonly maxRepositories?: number } = {},
  ) => {
    const { maxRepositories = 50, ...identity } = options;
    const source = ecrSource({ region, endpoint: moto.endpoint, keys, ...identity });
    try {
      return await scan({
        source,
        matcher: compileImagePattern({ repositoryPattern: pattern }),
        selection: compileSelection({ semver: { range: '>=1.0.0' } }),
        maxRepositories,
        maxConcurrentScans: 4,
        signal: AbortSignal.timeout(60_000),
      });
    } finally {
      await source.close();
    }
  };

  it('are found by pattern, with the host, digest and time that ECR returns', async () => {
    await push('webapp/frontend', 'v1.2.3', 'v1.10.0', 'latest');
    await push('webapp/backend', '1.0.0');
    await push('other/thing', '9.9.9');
    const { chosen, repositories, images } = await look('webapp/*');
    expect({ repositories, images }).toEqual({ repositories: 2, images: 4 });
    expect(chosen.map(({ repository, tag }) => `${repository}:${tag}`).sort()).toEqual([
      'webapp/backend:1.0.0',
      'webapp/frontend:v1.10.0',
    ]);
    for (const { registry, digest, pushedAtMs } of chosen) {
      expect(registry).toMatch(/^\d{12}\.dkr\.ecr\.eu-central-1\.amazonaws\.com$/);
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(pushedAtMs).toBeGreaterThan(0);
    }
  });

  it('are read as an assumed role, which the address of ECR has no say in', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_STS', moto.endpoint);
    try {
      const { chosen } = await look('webapp/backend', { roleArn: 'arn:aws:iam::123456789012:role/ECRReadRole' });
      expect(chosen).toHaveLength(1);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('are none of a repository that is not there yet', async () => {
    expect(await look('never/made')).toMatchObject({ repositories: 0, chosen: [] });
  });

  it('are read page by page, and no more repositories than allowed', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `many/r${i}`);
    for (const name of names) await ecr.createRepository(name);
    expect(await look('many/*', { maxRepositories: 200 })).toMatchObject({ repositories: 130, isTruncated: false });
    expect(await look('many/*', { maxRepositories: 10 })).toMatchObject({ repositories: 10, isTruncated: true });
  });

  it('fail at an address without a server, and the error contains no key', async () => {
    const source = ecrSource({ region, endpoint: 'http://127.0.0.1:1', keys });
    const failed = scan({
      source,
      matcher: compileImagePattern({ repositoryPattern: 'a/*' }),
      selection: compileSelection({ alphabetical: {} }),
      maxRepositories: 1,
      maxConcurrentScans: 1,
      signal: AbortSignal.timeout(60_000),
    });
    await expect(failed).rejects.toThrow('ECR of eu-central-1: ');
    await expect(failed).rejects.not.toThrow(keys.secretAccessKey);
    await source.close();
  });
});
