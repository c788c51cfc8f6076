import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadInClusterConfig } from './in-cluster.ts';
import { loadClusterConfig, loadKubeconfig } from './kubeconfig.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { failureOf } from './testing/server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfig(user: object = {}, cluster: object = {}, extra: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://example.test:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
    ...extra,
  });
}

const load = (user?: object, cluster?: object) => loadKubeconfig({ text: kubeconfig(user, cluster), env: {} });

describe('loadKubeconfig', () => {
  it('reads YAML', async () => {
    const text = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: local, user: me}}
clusters:
- name: local
  cluster:
    server: https://127.0.0.1:6443
    insecure-skip-tls-verify: true
    tls-server-name: kubernetes
users:
- name: me
  user: {token: abc}
`;
    const config = await loadKubeconfig({ text, env: {} });
    expect(config).toMatchObject({ name: 'dev', server: 'https://127.0.0.1:6443', namespace: 'default' });
    expect(config.tls).toEqual({ ca: undefined, insecureSkipVerify: true, serverName: 'kubernetes' });
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer abc' });
  });

  it('reads certificates from data and from files beside the kubeconfig', async () => {
    await writeFile(join(folder, 'ca.pem'), 'CA');
    await writeFile(join(folder, 'me.pem'), 'CERT');
    const path = join(folder, 'config');
    await writeFile(
      path,
      kubeconfig(
        { 'client-certificate': 'me.pem', 'client-key-data': base64('KEY') },
        { 'certificate-authority': 'ca.pem' },
      ),
    );
    const config = await loadKubeconfig({ path, env: {} });
    expect(config).toMatchObject({ server: 'https://example.test:6443', namespace: 'shop', tls: { ca: 'CA' } });
    expect(await config.credentials.current()).toMatchObject({ certificate: 'CERT', key: 'KEY' });
    const fromData = await load({}, { 'certificate-authority-data': base64('DATA') });
    expect(fromData.tls.ca).toBe('DATA');
  });

  it('supports username and password, and impersonation', async () => {
    const config = await load({
      username: 'jo',
      password: 'pw',
      as: 'admin',
      'as-groups': ['a', 'b'],
      'as-user-extra': { Reason: ['x'] },
    });
    expect(await config.credentials.current()).toMatchObject({ authorization: `Basic ${base64('jo:pw')}` });
    expect(config.headers).toEqual({
      'impersonate-user': 'admin',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-reason': ['x'],
    });
  });

  it('merges the files of KUBECONFIG: the first file that names an entry provides it whole', async () => {
    const nested = join(folder, 'nested');
    await mkdir(nested);
    await writeFile(join(nested, 'token'), 'from-nested\n');
    const [first, second] = [join(folder, 'first'), join(nested, 'second')];
    await writeFile(first, JSON.stringify({ users: [{ name: 'u', user: { username: 'first' } }] }));
    await writeFile(
      second,
      kubeconfig(
        { token: 'second' },
        {},
        {
          users: [
            { name: 'u', user: { token: 'second' } },
            { name: 'other', user: { tokenFile: 'token' } },
          ],
          contexts: [
            { name: 'main', context: { cluster: 'c', user: 'u' } },
            { name: 'other', context: { cluster: 'c', user: 'other' } },
          ],
        },
      ),
    );
    const env = { KUBECONFIG: `${first}:${join(folder, 'missing')}:${second}` };
    const main = await loadKubeconfig({ env });
    expect(await main.credentials.current()).toEqual({ authorization: `Basic ${base64('first:')}` });
    const other = await loadKubeconfig({ env, context: 'other' });
    expect(await other.credentials.current()).toEqual({ authorization: 'Bearer from-nested' });
  });

  it('looks in the home folder, and reports where it looked', async () => {
    expect((await failureOf(loadKubeconfig({ env: { HOME: folder } }))).message).toContain(
      join(folder, '.kube', 'config'),
    );
    await mkdir(join(folder, '.kube'));
    await writeFile(join(folder, '.kube', 'config'), kubeconfig());
    expect((await loadKubeconfig({ env: { HOME: folder } })).name).toBe('main');
  });

  it.each([
    ['no YAML', '{a: [', 'not valid YAML'],
    ['another kind', '{"kind":"Pod"}', 'kind is not Config'],
    ['no current context', kubeconfig({}, {}, { 'current-context': '' }), 'it has: main'],
    ['an unknown cluster', kubeconfig({}, {}, { clusters: [] }), 'no cluster "c"'],
    ['an unknown user', kubeconfig({}, {}, { users: [] }), 'no user "u"'],
    ['a name twice', kubeconfig({}, {}, { users: [{ name: 'u' }, { name: 'u' }] }), 'names "u" twice'],
    ['a server that is no address', kubeconfig({}, { server: 'example' }), '"example" is not an http(s) address'],
    ['an auth provider', kubeconfig({ 'auth-provider': { name: 'gcp' } }), 'auth-provider "gcp" was removed'],
    ['a socks proxy', kubeconfig({}, { 'proxy-url': 'socks5://jo:pw@x' }), 'only http and https proxies'],
    [
      'an old plugin',
      kubeconfig({ exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      'v1alpha1',
    ],
    ['a token without quotes', kubeconfig({ token: 12345 }), 'put it in quotes'],
    ['two ways to log in', kubeconfig({ token: 't0k', username: 'x' }), 'both a token and a username'],
    ['a certificate without key', kubeconfig({ 'client-certificate-data': base64('x') }), 'no client-key'],
    [
      'a CA that is not to be used',
      kubeconfig({}, { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64('x') }),
      'remove one',
    ],
  ])('rejects %s with one line', async (_, text, expected) => {
    const error = await failureOf(loadKubeconfig({ text, env: {} }));
    expect(error).toMatchObject({ name: 'KubeConfigError' });
    expect(error.message).toContain(expected);
    expect(error.message).not.toMatch(/\n|t0k|jo:pw/);
  });
});

describe('in a cluster', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  it('is used when there is no kubeconfig', async () => {
    await writeFile(join(folder, 'ca.crt'), 'CA');
    expect((await loadClusterConfig({ env, serviceAccountFolder: folder })).name).toBe('in-cluster');
    expect((await failureOf(loadClusterConfig({ env: {} }))).message).toContain('no kubeconfig found');
    const path = join(folder, 'config');
    await writeFile(path, kubeconfig());
    expect((await loadClusterConfig({ env: { ...env, KUBECONFIG: path }, serviceAccountFolder: folder })).name).toBe(
      'main',
    );
  });

  it('reads the service account, and its token again after it was replaced', async () => {
    const clock = new ManualClock();
    await writeFile(join(folder, 'ca.crt'), 'CA');
    await writeFile(join(folder, 'namespace'), 'supercargo');
    await writeFile(join(folder, 'token'), 'one');
    const config = await loadInClusterConfig({ env, folder, clock });
    expect(config).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'supercargo', tls: { ca: 'CA' } });
    const one = await config.credentials.current();
    expect(one).toEqual({ authorization: 'Bearer one' });
    await writeFile(join(folder, 'token'), 'two');
    expect(await config.credentials.current()).toBe(one);
    clock.advance(10_000);
    const two = await config.credentials.current();
    expect(two).toEqual({ authorization: 'Bearer two' });
    await writeFile(join(folder, 'token'), 'three');
    expect(config.credentials.rejected(two)).toBe(true);
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer three' });
    await rm(join(folder, 'token'));
    clock.advance(10_000);
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer three' });
  });

  it('reports what is missing outside a cluster', async () => {
    expect((await failureOf(loadInClusterConfig({ env: {} }))).message).toContain('KUBERNETES_SERVICE_HOST');
  });
});
