import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import { eventually } from '../support/wait.ts';
import { deployments, namespaces } from './connection.ts';
import { useInstalledCluster } from './installed-cluster.ts';

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
});
