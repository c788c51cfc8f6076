import { describe, expect, it } from 'vitest';
import type { ResourceTemplate } from '../api/index.ts';
import { KubeError } from '../kube/index.ts';
import { type RemoteSettings, remoteOf } from './git-credentials.ts';

const signal = new AbortController().signal;

/** The remote of a template whose Secret holds this data. */
function remote(
  url: string,
  secret: Readonly<Record<string, string>> | undefined,
  settings: Partial<RemoteSettings> = {},
) {
  const requests: unknown[] = [];
  const template: ResourceTemplate = {
    apiVersion: 'automation.gitops.io/v1beta1',
    kind: 'ResourceTemplate',
    metadata: { name: 't', namespace: 'of-the-template' },
    spec: { template: '', gitRepository: { url, ...(secret ? { secretRef: { name: 'git' } } : {}) } },
  };
  const client = {
    async get(_type: unknown, key: unknown): Promise<never> {
      requests.push(key);
      const data = Object.entries(secret!).map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
      const metadata = { name: 'git', namespace: 'of-the-template' };
      return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(data) } as never;
    },
  };
  return remoteOf(template, client, { allowsLocal: false, ...settings }, signal).then((found) => ({
    ...found,
    requests,
  }));
}

const https = 'https://git.example/r.git';
const ssh = 'git@git.example:r.git';

describe('the credentials of a repository', () => {
  it.each([
    [https, { token: 'abc\n' }, { kind: 'token', token: 'abc' }],
    [https, { token: 'abc', username: 'me' }, { kind: 'token', token: 'abc', username: 'me' }],
    [https, { username: 'me', password: 'p' }, { kind: 'basic', username: 'me', password: 'p' }],
    [https, { 'ssh-privatekey': 'k', token: 'abc' }, { kind: 'token', token: 'abc' }],
    [ssh, { 'ssh-privatekey': 'k', token: 'abc', known_hosts: 'h' }, { kind: 'ssh', privateKey: 'k', knownHosts: 'h' }],
    [
      'ssh://git@git.example/r.git',
      { 'ssh-privatekey': 'k', 'ssh-passphrase': 's' },
      { kind: 'ssh', privateKey: 'k', passphrase: 's', knownHosts: 'from the configuration' },
    ],
  ])('for %s and %j', async (url, secret, auth) => {
    const found = await remote(url, secret, { knownHosts: 'from the configuration' });
    expect(found.auth).toEqual(auth);
    expect(found.requests).toEqual([{ name: 'git', namespace: 'of-the-template' }]);
  });

  it('are none without a Secret', async () => {
    expect(await remote(https, undefined)).toEqual({ url: https, branch: 'main', requests: [] });
  });

  it('may include a CA and use a proxy', async () => {
    const found = await remote(https, { token: 't', 'ca.crt': 'PEM' }, { proxyFor: (url) => `http://proxy/?${url}` });
    expect(found).toMatchObject({ certificateAuthority: 'PEM', proxy: `http://proxy/?${https}` });
  });

  it('are reported as missing, without the content of the Secret', async () => {
    await expect(remote(https, { pasword: 'hunter2' })).rejects.toThrow(
      /^Secret of-the-template\/git has neither token, username and password, nor ssh-privatekey$/,
    );
  });

  it('give no access to the files of the controller', async () => {
    for (const url of ['/srv/r.git', 'file:///srv/r.git', 'FILE:///srv/r.git'])
      await expect(remote(url, undefined)).rejects.toThrow('a path on the machine of the controller is not allowed');
    expect(await remote('/srv/r.git', undefined, { allowsLocal: true })).toMatchObject({ url: '/srv/r.git' });
  });

  it('that may not be read are named', async () => {
    const client = {
      get: async (): Promise<never> => {
        throw new KubeError('kube-forbidden', 'no', { method: 'GET', path: '/' });
      },
    };
    const template = {
      apiVersion: '',
      kind: '',
      metadata: { namespace: 'n' },
      spec: { gitRepository: { url: https, secretRef: { name: 's' } } },
    };
    await expect(remoteOf(template, client, { allowsLocal: false }, signal)).rejects.toMatchObject({
      code: 'create-secret',
      message: 'Secret n/s may not be read',
    });
  });
});
