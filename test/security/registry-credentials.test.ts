import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type Digest, digestOf, type Tag } from '../../src/image/index.ts';
import { createRegistryClient, type RegistryClientOptions, staticSource } from '../../src/registry/index.ts';
import { createCertificate } from '../support/certificate.ts';
import { type HostileServer, startHostile, stopHostile } from './hostile-registry.ts';

const password = 'the-password-of-the-registry';
const basic = `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
const tag = 'v1' as Tag;
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  await stopHostile();
});

function open(registry: HostileServer, options: RegistryClientOptions = {}) {
  const client = createRegistryClient({
    credentials: staticSource(registry.host, 'user', password, 'the test'),
    settings: () => ({ ca: createCertificate().caPem }),
    retryBaseMs: 1,
    retryMaxMs: 2,
    ...options,
  });
  closers.push(() => client.close());
  return { client, repository: { registry: registry.host, path: 'team/app' } };
}

const answer = (response: ServerResponse, status: number, headers: Record<string, string> = {}, body = '') =>
  response.writeHead(status, headers).end(body);
const challenge = (realm: string) => ({ 'www-authenticate': `Bearer realm="${realm}",service="x"` });
const credentialsSeenBy = ({ requests }: HostileServer) =>
  requests.map(({ authorization }) => authorization).filter((header) => header !== undefined);

describe('credentials of a registry', () => {
  it('are not sent to the realm of a host that the registry redirects to', async () => {
    const thief: HostileServer = await startHostile((request, response) =>
      request.url?.startsWith('/token') === true
        ? answer(response, 200, {}, '{"token":"x"}')
        : answer(response, 401, challenge(`${thief.url}/token`)),
    );
    const registry = await startHostile((request, response) =>
      request.url === '/v2/'
        ? answer(response, 200)
        : answer(response, 307, { location: `${thief.url}${request.url}` }),
    );
    const { client, repository } = open(registry);
    await expect(client.getManifest(repository, tag)).rejects.toMatchObject({ code: 'registry-unauthorized' });
    expect(thief.requests.map(({ line }) => line)).toEqual(['GET /v2/team/app/manifests/v1']);
    expect(credentialsSeenBy(thief)).toEqual([]);
  });

  it('are not sent to a redirect target, not even after a Basic challenge of its own', async () => {
    const thief = await startHostile((_, response) => answer(response, 401, { 'www-authenticate': 'Basic realm="x"' }));
    const registry = await startHostile((request, response) => {
      if (request.headers.authorization === undefined)
        return answer(response, 401, { 'www-authenticate': 'Basic realm="own"' });
      return answer(response, 302, { location: `${thief.url}/blob` });
    });
    const { client, repository } = open(registry);
    await expect(client.getManifest(repository, tag)).rejects.toMatchObject({ code: 'registry-unauthorized' });
    expect(credentialsSeenBy(registry)).toContain(basic);
    expect(credentialsSeenBy(thief)).toEqual([]);
  });

  it('are not sent with a request that another host redirects back to the registry', async () => {
    const thief: HostileServer = await startHostile((_, response) =>
      answer(response, 307, { location: `${registry.url}/v2/other/secrets/manifests/latest` }),
    );
    const registry = await startHostile((request, response) => {
      if (request.url?.includes('/other/') === true) return answer(response, 404);
      if (request.headers.authorization === undefined)
        return answer(response, 401, { 'www-authenticate': 'Basic realm="own"' });
      return answer(response, 307, { location: `${thief.url}/` });
    });
    const { client, repository } = open(registry);
    await expect(client.getManifest(repository, tag)).rejects.toMatchObject({ code: 'registry-not-found' });
    const back = registry.requests.filter(({ line }) => line.includes('/other/'));
    expect(back).toEqual([{ line: 'GET /v2/other/secrets/manifests/latest', authorization: undefined }]);
  });

  it('are not lost in a loop of redirects', async () => {
    const registry: HostileServer = await startHostile((request, response) =>
      request.url === '/v2/' ? answer(response, 200) : answer(response, 307, { location: `${registry.url}/v2/a/b` }),
    );
    const { client, repository } = open(registry);
    await expect(client.getManifest(repository, tag)).rejects.toThrow('more than 5 redirects');
    expect(registry.requests.length).toBeLessThan(20);
  });

  it('are not sent to an upload address on another host', async () => {
    const bytes = Buffer.from('a layer');
    const digest: Digest = digestOf(bytes);
    const thief = await startHostile((request, response) => {
      request.resume();
      answer(response, 401, { 'www-authenticate': 'Basic realm="x"' });
    });
    const registry = await startHostile((request, response) => {
      if (request.headers.authorization === undefined)
        return answer(response, 401, { 'www-authenticate': 'Basic realm="own"' });
      if (request.method === 'POST') return answer(response, 202, { location: `${thief.url}/upload?state=1` });
      return answer(response, 404);
    });
    const { client, repository } = open(registry);
    const upload = client.uploadBlob({
      repository,
      digest,
      size: bytes.length,
      async *read() {
        yield bytes;
      },
    });
    await expect(upload).rejects.toMatchObject({ code: 'registry-unauthorized' });
    expect(thief.requests.length).toBeGreaterThan(0);
    expect(credentialsSeenBy(thief)).toEqual([]);
  });
});

describe('a registry with TLS', () => {
  const bearer = (realm: () => string) =>
    startHostile((_, response) => answer(response, 401, challenge(realm())), { tls: true });

  it('may name a realm on another host, when that speaks TLS too', async () => {
    const realm = await startHostile((_, response) => answer(response, 200, {}, '{"token":"good"}'), { tls: true });
    const registry = await startHostile(
      (request, response) =>
        request.headers.authorization === 'Bearer good'
          ? answer(response, 404)
          : answer(response, 401, challenge(`${realm.url}/token`)),
      { tls: true },
    );
    const { client, repository } = open(registry);
    expect(await client.headManifest(repository, tag)).toBeUndefined();
    expect(credentialsSeenBy(realm)).toEqual([basic]);
  });

  it.each([
    ['on loopback', 'without TLS', () => plainRealm.url],
    ['with a user in it', 'with a user in it', () => `https://someone:else@${plainRealm.host}`],
    ['of another scheme', 'that does not speak HTTP', () => 'file:///etc/passwd'],
    ['that is no address', 'not valid', () => 'https://['],
  ])('may not name a realm %s that is %s', async (_, _why, realm) => {
    plainRealm = await startHostile((_request, response) => answer(response, 200, {}, '{"token":"x"}'));
    const { client, repository } = open(await bearer(() => `${realm()}/token`));
    await expect(client.headManifest(repository, tag)).rejects.toMatchObject({ code: 'registry-unauthorized' });
    expect(plainRealm.requests).toEqual([]);
  });
  let plainRealm: HostileServer;

  it('may not name a realm at a metadata address', async () => {
    const { client, repository } = open(await bearer(() => 'https://169.254.169.254/latest/api/token'));
    const failure = await client.headManifest(repository, tag).catch((thrown: Error) => thrown);
    expect(failure).toMatchObject({ code: 'registry-unauthorized', cause: { code: 'registry-address' } });
  });

  it.each([
    ['verified', {}],
    ['unverified', { isInsecure: true }],
  ])('(%s) may not redirect to plain HTTP', async (_, settings) => {
    const plain = await startHostile((_request, response) => answer(response, 200));
    const registry = await startHostile(
      (request, response) =>
        request.url === '/v2/' ? answer(response, 200) : answer(response, 307, { location: plain.url }),
      { tls: true },
    );
    const { client, repository } = open(registry, {
      settings: () => ({ ca: createCertificate().caPem, ...settings }),
    });
    await expect(client.getManifest(repository, tag)).rejects.toThrow('a redirect away from TLS');
    expect(plain.requests).toEqual([]);
  });

  it('may not name an upload address on plain HTTP', async () => {
    const plain = await startHostile((_request, response) => answer(response, 201));
    const elsewhere = `http://localhost:${plain.host.split(':')[1]}/upload`;
    const registry = await startHostile(
      (request, response) => answer(response, request.method === 'POST' ? 202 : 200, { location: elsewhere }),
      { tls: true },
    );
    const { client, repository } = open(registry);
    const upload = client.uploadBlob({
      repository,
      digest: digestOf(Buffer.from('x')),
      size: 1,
      async *read() {
        yield Buffer.from('x');
      },
    });
    await expect(upload).rejects.toThrow('an upload address without TLS');
    expect(plain.requests).toEqual([]);
  });
});

describe('a registry without TLS', () => {
  const named = (server: HostileServer, name: string) => `${name}:${server.host.split(':')[1]}`;
  const ask = async (realmName: string) => {
    const realm = await startHostile((_, response) => answer(response, 200, {}, '{"token":"good"}'));
    const registry = await startHostile((request, response) =>
      request.headers.authorization === 'Bearer good'
        ? answer(response, 404)
        : answer(response, 401, challenge(`http://${named(realm, realmName)}/token`)),
    );
    const host = named(registry, 'registry.test');
    const client = createRegistryClient({
      credentials: staticSource(host, 'user', password, 'the test'),
      settings: () => ({ isPlainHttp: true }),
      // Every name is this machine.
      resolve: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
      retryBaseMs: 1,
      retryMaxMs: 2,
    });
    closers.push(() => client.close());
    await client.headManifest({ registry: host, path: 'team/app' }, tag);
    return credentialsSeenBy(realm);
  };

  it('may name a realm on its own host', async () => {
    expect(await ask('registry.test')).toEqual([basic]);
  });

  it('does not decide which other host gets the password: anybody on the way may have named it', async () => {
    expect(await ask('realm.test')).toEqual([]);
  });
});

describe('secrets in addresses', () => {
  it('of redirect targets are in no error and no log line', async () => {
    const lines: string[] = [];
    const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
    const log = { debug: write, info: write, warn: write, error: write, child: () => log };
    const storage = await startHostile((_, response) =>
      answer(response, 403, {}, '{"errors":[{"code":"DENIED","message":"no: /x?X-Amz-Signature=the-signature&a=b"}]}'),
    );
    const registry = await startHostile((request, response) =>
      request.url === '/v2/'
        ? answer(response, 200)
        : answer(response, 307, { location: `${storage.url}/x?X-Amz-Signature=the-signature` }),
    );
    const { client, repository } = open(registry, { log: log as never });
    const failure = await client.getManifest(repository, tag).catch((thrown: Error) => thrown);
    expect(failure).toMatchObject({ code: 'registry-forbidden' });
    expect(`${(failure as Error).message} ${JSON.stringify(failure)} ${lines.join()}`).not.toContain('the-signature');
    expect(lines.length).toBeGreaterThan(0);
  });
});
