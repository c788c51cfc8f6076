import { afterEach, describe, expect, it } from 'vitest';
import { pushImage } from '../../test/support/push-image.ts';
import type { PullSecretRef } from '../api/index.ts';
import { createAuthority, issueCertificate, silentLogger } from '../base/index.ts';
import { KubeError } from '../kube/index.ts';
import { createRegistryClient, staticSource } from '../registry/index.ts';
import { type RegistryServerOptions, startRegistryServer } from '../registryserver/index.ts';
import { openImageClient, parseImageAccess } from './image-access.ts';
import { createImageData } from './image-data.ts';
// Otherwise loaded with the first secret, which can exceed the time limit of a test on a busy machine.
import '../mirror/index.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const { signal } = new AbortController();
const users = { reader: 'let me in' };

async function registryWith(options: RegistryServerOptions = {}) {
  const server = await startRegistryServer(options);
  closers.push(() => server.stop());
  const client = createRegistryClient({
    credentials: staticSource(server.host, 'reader', users.reader, 'the test'),
    settings: () => ({ isInsecure: true }),
  });
  closers.push(() => client.close());
  const image = `${server.host}/shop/api:v1`;
  return { image, host: server.host, digest: await pushImage(client, image) };
}

/** Our namespace has these Secrets, other namespaces those named with them; reads are recorded. */
function imageData(secrets: Readonly<Record<string, object>> = {}) {
  const read: string[] = [];
  const count = { opened: 0, closed: 0 };
  const get = async (_: unknown, { namespace, name }: { readonly namespace?: string; readonly name: string }) => {
    read.push(`${namespace}/${name}`);
    const secret = namespace === 'supercargo' ? secrets[name] : secrets[`${namespace}/${name}`];
    if (!secret) throw new KubeError('kube-not-found', `no Secret ${name}`, { method: 'GET', path: name });
    return secret as never;
  };
  const images = createImageData(async (access) => {
    const client = await openImageClient(access, {
      client: { get },
      namespace: 'supercargo',
      env: {},
      log: silentLogger,
    });
    count.opened++;
    return {
      ...client,
      async close() {
        count.closed++;
        await client.close();
      },
    };
  });
  closers.push(() => images.close());
  const look = (image: string, credentials?: unknown, pullSecrets?: readonly PullSecretRef[]) =>
    images.imageData(image, { credentials, pullSecrets, signal });
  return { look, read, count, close: () => images.close() };
}

const pullSecret = (host: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'pull' },
  type: 'kubernetes.io/dockerconfigjson',
  data: {
    '.dockerconfigjson': Buffer.from(
      JSON.stringify({ auths: { [host]: { username: 'reader', password: users.reader } } }),
    ).toString('base64'),
  },
});

describe('image data of a rule', () => {
  it('is read with the pull secrets of the Pod if the registry requires a login, and only for that Pod', async () => {
    const { image, host, digest } = await registryWith({ users });
    const { look, read, count } = imageData({ 'shop/pull': pullSecret(host) });
    const refs = [{ namespace: 'shop', name: 'pull' }];
    expect(await look(image, undefined, refs)).toMatchObject({ resolvedImage: `${host}/shop/api@${digest}` });
    expect(read).toContain('shop/pull');
    expect(count).toEqual({ opened: 2, closed: 1 });
    await expect(look(image)).rejects.toThrow();
    await expect(look(image, undefined, [{ namespace: 'bank', name: 'pull' }])).rejects.toThrow();
    const open = await registryWith();
    read.length = 0;
    await look(open.image, undefined, refs);
    expect(read).toEqual([]);
  });

  it('is its manifest, its configuration and where it is', async () => {
    const { image, host, digest } = await registryWith();
    expect(await imageData().look(image)).toMatchObject({
      image,
      resolvedImage: `${host}/shop/api@${digest}`,
      registry: host,
      repository: 'shop/api',
      identifier: 'v1',
      manifest: { schemaVersion: 2, layers: [{ size: expect.any(Number) }] },
      configData: { architecture: 'amd64', os: 'linux', config: { Labels: { content: image } } },
    });
  });

  it('can be read by digest', async () => {
    const { host, digest } = await registryWith();
    expect(await imageData().look(`${host}/shop/api@${digest}`)).toMatchObject({ identifier: digest });
  });

  it('is an error that names the image if it does not exist', async () => {
    const { host } = await registryWith();
    await expect(imageData().look(`${host}/shop/none:v1`)).rejects.toThrow('shop/none');
  });
});

describe('the credentials that a rule names', () => {
  it('are those of pull secrets in our own namespace', async () => {
    const { image, host, digest } = await registryWith({ users });
    const { look, read } = imageData({ pull: pullSecret(host) });
    expect(await look(image, { secrets: ['pull'] })).toMatchObject({ resolvedImage: `${host}/shop/api@${digest}` });
    expect(new Set(read)).toEqual(new Set(['supercargo/pull']));
  });

  it('are not used for rules that do not name them', async () => {
    const { image, host, digest } = await registryWith({ users });
    const { look, read } = imageData({ pull: pullSecret(host) });
    expect(await look(image, { secrets: ['pull'] })).toMatchObject({ resolvedImage: `${host}/shop/api@${digest}` });
    await expect(look(image)).rejects.toThrow();
    await expect(look(image, { providers: ['default'] })).rejects.toThrow();
    expect(new Set(read)).toEqual(new Set(['supercargo/pull']));
  });

  it('may be missing: then the registry denies access, and no password is in the message', async () => {
    const { image } = await registryWith({ users });
    const read = imageData().look(image, { secrets: ['gone'] });
    await expect(read).rejects.toThrow(expect.objectContaining({ code: 'registry-unauthorized' }));
    await expect(read).rejects.not.toThrow(users.reader);
  });

  it('may name providers without an account; public images are still readable', async () => {
    const { image } = await registryWith();
    expect(await imageData().look(image, { providers: ['google', 'azure'] })).toMatchObject({ image });
  });

  it('share one client if they are equal, and all clients are closed at the end', async () => {
    const { image } = await registryWith();
    const { look, count, close } = imageData();
    await Promise.all([look(image), look(image), look(image, { secrets: ['a', 'b'] })]);
    await look(image, { secrets: ['b', 'a', 'a'] });
    expect(count).toEqual({ opened: 2, closed: 0 });
    await close();
    expect(count).toEqual({ opened: 2, closed: 2 });
  });
});

describe('a registry with an untrusted certificate', () => {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'nobody knows me', now, validDays: 1 });
  const certificate = issueCertificate(authority, {
    commonName: 'registry',
    hosts: ['127.0.0.1'],
    usage: 'server',
    now,
    validDays: 1,
  });

  it('is used only if the rule allows it', async () => {
    const { image } = await registryWith({ certificate });
    const { look } = imageData();
    await expect(look(image)).rejects.toThrow(/certificate/);
    expect(await look(image, { allowInsecureRegistry: true })).toMatchObject({ image });
  });
});

it('invalid credentials settings count as none', () => {
  for (const nonsense of [undefined, null, 'x', { secrets: 'pull', providers: [1], allowInsecureRegistry: 'yes' }])
    expect(parseImageAccess(nonsense)).toEqual({ allowInsecureRegistry: false, providers: undefined, secrets: [] });
});
