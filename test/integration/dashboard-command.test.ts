import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import type { ImagesAnswer, Overview, Session } from '../../src/dashboard/protocol.ts';
import { eventually } from '../support/wait.ts';
import { deployments, namespaces } from './connection.ts';
import { useInstalledCluster } from './installed-cluster.ts';

describe('supercargo dashboard', () => {
  const installed = useInstalledCluster();
  /** An API server in front of that of the cluster, for a user who may not list everything. */
  let limited: Server;
  const seen: string[] = [];
  let folder = '';
  let kubeconfig = '';
  beforeAll(async () => {
    const { client } = installed.connection;
    for (const namespace of ['shop', 'other']) {
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const template = {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'app', image: `${namespace}:1` }] },
      };
      await client.create(deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: { selector: { matchLabels: { app: 'web' } }, template },
      });
    }
    const { cluster } = installed;
    limited = createServer((asked, response) => {
      seen.push(`${asked.headers.authorization} ${asked.url}`);
      const isRefused = /\/(jobs|mirroredimages)\b/.test(asked.url!) || /^\/[^?]*\/other\//.test(asked.url!);
      if (isRefused) {
        const status = {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'Forbidden',
          code: 403,
          message: 'no',
        };
        response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
        return;
      }
      const headers = { ...asked.headers, authorization: `Bearer ${cluster.token}` };
      const passed = request(
        `${cluster.url}${asked.url}`,
        { method: asked.method, headers, ca: cluster.caPem },
        (answer: IncomingMessage) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        },
      );
      passed.on('error', () => response.destroy());
      response.on('close', () => passed.destroy());
      asked.pipe(passed);
    });
    await new Promise<void>((resolve) => limited.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    limited?.closeAllConnections();
    limited?.close();
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'supercargo-dashboard-command-'));
    kubeconfig = join(folder, 'kubeconfig');
    const server = `http://127.0.0.1:${(limited.address() as AddressInfo).port}`;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'ann' } }],
      clusters: [{ name: 'c', cluster: { server } }],
      users: [{ name: 'ann', user: { token: 'the-token-of-ann' } }],
    };
    await writeFile(kubeconfig, JSON.stringify(config));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs until `look` is done. */
  async function run<T>(
    args: readonly string[],
    { isTTY, env = {} }: { readonly isTTY: boolean; readonly env?: Readonly<Record<string, string>> },
    look: (link: URL, stderr: () => string) => Promise<T>,
  ): Promise<{ readonly code: number; readonly found: T }> {
    const out = { stdout: '', stderr: '' };
    const end = new AbortController();
    const context = {
      env,
      stdout: { write: (text: string) => void (out.stdout += text), isTTY },
      stderr: { write: (text: string) => void (out.stderr += text) },
      temporaryDir: folder,
      signal: end.signal,
      uptimeMs: () => 0,
    };
    const running = runCli(['dashboard', '--kubeconfig', kubeconfig, ...args], context, 'test');
    try {
      await eventually(async () =>
        expect(out.stdout, out.stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+\n$/),
      );
      const found = await look(new URL(out.stdout.trim()), () => out.stderr);
      end.abort();
      return { code: await running, found };
    } finally {
      end.abort();
      await running;
    }
  }
  const reader = (link: URL) => {
    const headers = { authorization: `Bearer ${link.hash.replace('#token=', '')}` };
    return async <T>(path: string): Promise<T> =>
      (await (await fetch(`${link.origin}${path}`, { headers })).json()) as T;
  };
  const complete = async (get: ReturnType<typeof reader>) =>
    eventually(async () => {
      const session = await get<Session>('/api/session');
      expect(session).toMatchObject({ method: 'link', isComplete: true });
      return session;
    });

  it('prints a link to what the identity of the kubeconfig may list, and says which kinds it may not', async () => {
    seen.length = 0;
    const { code, found } = await run(['--no-open'], { isTTY: true }, async (link) => {
      expect((await fetch(`${link.origin}/api/session`)).status).toBe(401);
      const get = reader(link);
      const session = await complete(get);
      return [session, await get<ImagesAnswer>('/api/images'), await get<Overview>('/api/overview')] as const;
    });
    const [session, images, overview] = found;
    expect(code).toBe(0);
    expect(session.access.everywhere).not.toEqual(expect.arrayContaining(['jobs']));
    expect(session.access.everywhere).not.toEqual(expect.arrayContaining(['mirroredimages']));
    expect(session.access.everywhere).toEqual(expect.arrayContaining(['pods', 'policyreports']));
    expect(images.items.map(({ id }) => id)).toEqual(['docker.io/library/other:1', 'docker.io/library/shop:1']);
    expect(overview).toMatchObject({ images: { total: 2 } });
    for (const part of ['jobs', 'copies', 'vulnerabilities']) expect(overview).not.toHaveProperty(part);
    expect(seen.length).toBeGreaterThan(5);
    for (const line of seen) expect(line).toMatch(/^Bearer the-token-of-ann \//);
    expect(await readdir(folder)).toEqual(['kubeconfig']);
  });

  it('asks for one namespace alone with -n', async () => {
    seen.length = 0;
    const { found } = await run(['-n', 'shop', '--no-open'], { isTTY: false }, async (link) => {
      const get = reader(link);
      await complete(get);
      return await get<ImagesAnswer>('/api/images');
    });
    expect(found.items).toMatchObject([{ id: 'docker.io/library/shop:1', workloads: 1 }]);
    const pods = seen.filter((line) => /\/pods\b/.test(line));
    expect(pods.length).toBeGreaterThan(0);
    for (const line of pods) expect(line).toContain('/api/v1/namespaces/shop/pods');
  });

  describe.skipIf(process.platform !== 'linux')('with a browser', () => {
    const opened = () => readFile(join(folder, 'opened'), 'utf8');
    const withBrowser = async () => {
      const program = join(folder, 'xdg-open');
      await writeFile(
        program,
        `#!/bin/sh\nprintf %s "$1" > '${folder}/new' && mv '${folder}/new' '${folder}/opened'\n`,
      );
      await chmod(program, 0o755);
      return { PATH: `${folder}:${process.env['PATH']}` };
    };

    it('opens it by a file that only its user can read, which is gone when the command ends', async () => {
      const env = await withBrowser();
      const { found: file } = await run([], { isTTY: true, env }, async (link) => {
        const url = await eventually(opened);
        // The link is not among the arguments of the browser.
        expect(url).not.toContain(link.hash);
        const path = new URL(url).pathname;
        expect(path.startsWith(folder)).toBe(true);
        expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
        expect(((await stat(join(path, '..'))).mode & 0o777).toString(8)).toBe('700');
        expect(await readFile(path, 'utf8')).toContain(`content="0;url=${link}"`);
        return path;
      });
      // At once: the process ends with the command.
      await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('does not open it without a terminal', async () => {
      const env = await withBrowser();
      await run([], { isTTY: false, env }, (link) => complete(reader(link)));
      expect((await readdir(folder)).sort()).toEqual(['kubeconfig', 'xdg-open']);
    });

    it('says so when there is none', async () => {
      const nowhere = { PATH: join(folder, 'nothing') };
      await run([], { isTTY: true, env: nowhere }, (_, stderr) =>
        eventually(async () => expect(stderr()).toContain('no browser could be started; open the address yourself')),
      );
    });
  });
});
