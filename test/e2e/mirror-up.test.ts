/** The clone of images in `supercargo up`: its own registry, its own cluster. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRegistryClient, findMissing } from '../../src/registry/index.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Program, runProgram, startProgram } from '../support/program.ts';
import { pushImage } from '../support/push-image.ts';
import { readTarget } from './cluster.ts';

describe('supercargo up with its registry', { timeout: 90_000 }, () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'supercargo-up-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const up = async (work: (program: Program, registry: string, api: HttpClient) => Promise<void>) => {
    const env = { BACKUP_REGISTRY: 'registry.example/must-not-be-used' };
    const program = await startProgram(['up', '--no-demo', '-o', 'json', '--dir', dir], { env });
    const api = createHttpClient(readTarget(program.ready.kubeconfig));
    try {
      expect(program.ready.registry).toMatch(/^127\.0\.0\.1:\d+$/);
      await work(program, program.ready.registry, api);
    } finally {
      await api.close();
      await program.stop();
    }
  };

  it('clones what is pushed there, and still has it the next time', async () => {
    const images = createRegistryClient();
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', labels: { 'image-clone-controller': 'enabled' } },
    };
    const copyPath = (registry: string) => `copies/${registry.replace(':', '_')}/team/app`;
    let first = '';
    await up(async (program, registry, api) => {
      first = registry;
      await pushImage(images, `${registry}/team/app:1`);
      expect(await api.post('/api/v1/namespaces', namespace)).toMatchObject({ status: 201 });
      const labels = { app: 'web' };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: `${registry}/team/app:1` }] },
      };
      const { body } = await api.post('/apis/apps/v1/namespaces/shop/deployments', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { selector: { matchLabels: labels }, template },
      });
      expect(JSON.stringify(body['spec'])).toContain(`"${registry}/${copyPath(registry)}:1"`);
      const { kubeconfig } = program.ready;
      const mirror = ['mirror', '--cluster', '--kubeconfig', kubeconfig, '--to', `${registry}/others`, '-o', 'json'];
      const { stdout, stderr, exitCode } = await runProgram([...mirror, '--namespace', 'shop']);
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      // By its source, although the workload runs the copy.
      expect(JSON.parse(stdout)).toMatchObject({ images: [{ source: `${registry}/team/app:1`, state: 'copied' }] });
    });
    await up(async (_, registry) => {
      expect(registry).toBe(first);
      expect(await findMissing(images, { registry, path: copyPath(registry) }, '1' as never)).toEqual([]);
    });
    await images.close();
  });
});
