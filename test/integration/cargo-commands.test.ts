import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { imageResourcePolicies, imagesDetected, mirroredImages } from '../../src/api/index.ts';
import { runCli } from '../../src/cli/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { eventually } from '../support/wait.ts';
import { deployments, namespaces } from './connection.ts';
import { useInstalledCluster } from './installed-cluster.ts';

const jobs: ResourceType = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };

describe('the images of a cluster in the terminal', () => {
  const installed = useInstalledCluster();
  const run = async (...args: string[]) => {
    const out = { stdout: '', stderr: '' };
    const stream = (name: 'stdout' | 'stderr') => ({
      write(text: string) {
        out[name] += text;
      },
    });
    const context = {
      env: {},
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      temporaryDir: tmpdir(),
      signal: new AbortController().signal,
      uptimeMs: () => 0,
    };
    const code = await runCli([...args, '--kubeconfig', installed.cluster.kubeconfigPath], context, 'test');
    return { code, ...out };
  };

  beforeAll(async () => {
    const { client } = installed.connection;
    for (const namespace of ['shop', 'other']) {
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const image = namespace === 'shop' ? 'nginx:1.25' : 'bad\u001b[31m<b>:1';
      await client.create(deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } },
        },
      });
    }
  });

  it('are one line each, of one namespace or of all, without control characters', async () => {
    await eventually(async () => {
      const { stdout } = await run('images', '-n', 'shop');
      expect(stdout).toMatch(/^IMAGE +WORKLOADS +PODS +COPY/);
      expect(stdout).toMatch(/\ndocker\.io\/library\/nginx:1\.25 +1 +1 +none/);
      expect(stdout).not.toContain('bad');
    });
    const all = await run('images', '-A', '-o', 'wide');
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout.split('\n')).toHaveLength(4);
    expect(all.stdout).not.toContain('\u001b');
  });

  it('are rows of the API for other programs', async () => {
    const { stdout } = await run('images', '-A', '--filter', 'q=nginx', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject([{ id: 'docker.io/library/nginx:1.25', workloads: 1 }]);
  });

  it('have their whole life in one page, by any way to write the name', async () => {
    const { stdout } = await run('image', 'nginx:1.25');
    expect(stdout).toMatch(/^docker\.io\/library\/nginx:1\.25/);
    expect(stdout).toMatch(/Deployment shop\/web +app +nginx:1\.25/);
    expect(await run('image', 'nothing:1')).toMatchObject({ code: 2 });
  });

  it('belong to a workload, as a tree', async () => {
    await eventually(async () => {
      const { stdout } = await run('tree', 'deploy/web', '-n', 'shop');
      expect(stdout).toMatch(
        /^Deployment shop\/web\n├── container app: docker\.io\/library\/nginx:1\.25\n└── ✓ Pod web-/,
      );
    });
    expect((await run('tree', 'deploy/none', '-n', 'shop')).stderr).toMatch(/there is no deploy\/none/);
  });

  it('are shown as text wherever they are named', async () => {
    const shown = await Promise.all(
      [
        ['images', '-A', '-o', 'wide'],
        ['image', 'bad\u001b[31m<b>:1'],
        ['tree', 'deploy/web', '-n', 'other'],
        ['status'],
      ].map((args) => run(...args)),
    );
    for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(shown[2]!.stdout).toContain('container app: bad [31m<b>:1');
  });

  it('are none where there are none, and for no filter that is misspelt', async () => {
    expect(await run('images', '-n', 'empty')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No images found in namespace empty.\n',
    });
    expect(await run('images', '-A', '--filter', 'q=none-of-them')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No images match the filter.\n',
    });
    expect(await run('images', '-A', '--filter', 'cpy=failed')).toMatchObject({ code: 2, stdout: '' });
    const misspelt = await run('images', '-A', '--filter', 'sort=nme');
    expect(misspelt).toMatchObject({ code: 2, stdout: '' });
    expect(misspelt.stderr).toContain('sort is one of name, workloads');
    expect((await run('images', '-A', '--filter', 'q=none-of-them', '-o', 'json')).stdout).toBe('[]\n');
  });

  it('are counted, with what needs attention', async () => {
    await eventually(async () => expect((await run('status')).stdout).toMatch(/images +2, 2 running/));
  });

  describe('of a cluster in which something is wrong', () => {
    const labels = { 'supercargo.dev/owner': 'supercargo' };
    beforeAll(async () => {
      const { client } = installed.connection;
      const create = (type: ResourceType, name: string, more: object, metadata: object = {}) =>
        client.create(type, {
          apiVersion: `${type.group}/${type.version}`,
          kind: type.kind,
          metadata: { name, ...(type.namespaced ? { namespace: 'shop' } : {}), ...metadata },
          ...more,
        } as KubeObject);
      const source = 'docker.io/library/nginx:1.25';
      await create(mirroredImages, 'broken', { spec: { source, copy: 'backup.example/nginx:1.25' } }, { labels });
      const status = { phase: 'Failed', message: 'the registry does not answer' };
      const failed = { type: 'merge', body: { status } } as const;
      await client.patch(mirroredImages, { name: 'broken' }, failed, { subresource: 'status' });
      const annotations = {
        'supercargo.dev/origin': JSON.stringify({ policy: 'scan', rule: 'make' }),
        'kyverno.io/source-image': source,
      };
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'scan', image: 'scanner:1' }] } };
      await create(jobs, 'scan-nginx', { spec: { template, suspend: true } }, { labels, annotations });
      await create(imageResourcePolicies, 'nginx', {
        spec: {
          ociRepository: { registry: 'docker.io', repositoryPattern: 'library/*' },
          policy: { semver: { range: '>=1.0.0' } },
          templateRef: { name: 'nginx' },
        },
      });
      await create(imagesDetected, 'nginx-1-25', {
        spec: {
          imageName: 'nginx',
          imageTag: '1.25',
          imageDigest: `sha256:${'0'.repeat(64)}`,
          fullImageName: source,
          sourcePolicy: { name: 'nginx', namespace: 'shop' },
          detectedAt: '2026-01-01T00:00:00Z',
          ttlDays: 7,
        },
      });
    });

    it('status exits with 1 and names it, also as JSON', async () => {
      const shown = await run('status');
      expect(shown).toMatchObject({ code: 1, stderr: '' });
      expect(shown.stdout).toMatch(
        /\nerror +copy-failed +docker\.io\/library\/nginx:1\.25 +the registry does not answer\n/,
      );
      const { code, stdout } = await run('status', '-o', 'json');
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        images: { total: expect.any(Number) },
        copies: { failed: 1, copied: 0 },
        attention: { items: [{ kind: 'copy-failed', level: 'error', image: 'docker.io/library/nginx:1.25' }] },
      });
    });

    it('one image is the answer of the API as JSON', async () => {
      const { code, stdout } = await run('image', 'nginx:1.25', '-o', 'json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        image: { id: 'docker.io/library/nginx:1.25', copy: 'failed', copyMessage: 'the registry does not answer' },
        copies: { total: 1 },
        jobs: { items: [{ name: 'scan-nginx', madeBy: 'scan/make', state: 'pending' }] },
        detections: { items: [{ name: 'nginx-1-25', policy: { namespace: 'shop', name: 'nginx' } }] },
        hidden: [],
      });
    });

    it('trees of policies have their detections and their Jobs, also as JSON', async () => {
      const tree = async (target: string) => (await run('tree', target, '-n', 'shop')).stdout;
      expect(await tree('imageresourcepolicy/nginx')).toBe(
        'ImageResourcePolicy shop/nginx\n' +
          '├── ✗ ResourceTemplate shop/nginx: not found\n' +
          '└── – docker.io/library/nginx:1.25 pending\n',
      );
      expect(await tree('clusterpolicy/scan')).toBe(
        'ClusterPolicy scan\n└── – Job shop/scan-nginx pending by scan/make\n',
      );
      expect(await tree('job/scan-nginx')).toMatch(
        /^Job shop\/scan-nginx\n├── – Job shop\/scan-nginx pending by scan\/make\n/,
      );
      expect(JSON.parse((await run('tree', 'irp/nginx', '-n', 'shop', '-o', 'json')).stdout)).toMatchObject({
        text: 'ImageResourcePolicy shop/nginx',
        state: 'note',
        children: [{ state: 'no' }, { state: 'off' }],
      });
      expect(await run('tree', 'clusterpolicy/none', '-n', 'shop')).toMatchObject({ code: 2, stdout: '' });
    });
  });
});
