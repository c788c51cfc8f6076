import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { configOf } from '../../src/app/config.ts';
import { registryNetwork } from '../../src/app/registry-network.ts';
import type { Resolve } from '../../src/base/index.ts';
import { digestOf, type Tag } from '../../src/image/index.ts';
import { createRegistryClient, type RegistryClientOptions } from '../../src/registry/index.ts';
import { createCertificate } from '../support/certificate.ts';
import { type HostileServer, startHostile, stopHostile } from './hostile-registry.ts';

const tag = 'v1' as Tag;
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  await stopHostile();
});

const portOf = ({ host }: HostileServer) => host.split(':')[1];
/** Every name is at this address. */
const allAt =
  (...addresses: string[]): Resolve =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

function open(options: RegistryClientOptions) {
  const client = createRegistryClient({ attempts: 1, ...options });
  closers.push(() => client.close());
  return client;
}

const head = (client: ReturnType<typeof open>, registry: string) =>
  client.headManifest({ registry, path: 'team/app' }, tag);
const plain = () => ({ isPlainHttp: true });

describe('a registry that a tenant names', () => {
  const { addresses } = registryNetwork(configOf({}));

  it.each([
    '127.0.0.1',
    '[::1]',
    '169.254.169.254',
    '[fd20:ce::254]',
    '192.0.0.192',
    '[::ffff:127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[fec0::1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '127.1',
  ])('is not connected to at %s', async (host) => {
    const server = await startHostile((_, response) => response.writeHead(404).end());
    const failed = head(open({ addresses, settings: plain }), `${host}:${portOf(server)}`);
    await expect(failed).rejects.toMatchObject({ code: 'registry-address', retry: 'never' });
    expect(server.requests).toEqual([]);
  });

  it('is not connected to when its name resolves to loopback, for small answers nor for layers', async () => {
    const server = await startHostile((_, response) => response.writeHead(404).end());
    const registry = `rebind.example:${portOf(server)}`;
    const client = open({ addresses, settings: plain, resolve: allAt('127.0.0.1') });
    await expect(head(client, registry)).rejects.toThrow('rebind.example resolves to a loopback address');
    const source = { repository: { registry, path: 'team/app' }, digest: digestOf(Buffer.from('x')), size: 1 };
    await expect(client.readBlob(source).next()).rejects.toMatchObject({ code: 'registry-address' });
    expect(server.requests).toEqual([]);
  });

  it('is checked at each connection, so that a name that changes its address meanwhile gains nothing', async () => {
    const server = await startHostile((_, response) => response.writeHead(404, { connection: 'close' }).end());
    let asked = 0;
    const resolve: Resolve = (host, options, callback) =>
      allAt(asked++ === 0 ? '10.255.255.1' : '127.0.0.1')(host, options, callback);
    const client = open({ addresses, settings: plain, resolve, connectTimeoutMs: 50 });
    await expect(head(client, `rebind.example:${portOf(server)}`)).rejects.toBeInstanceOf(Error);
    await expect(head(client, `rebind.example:${portOf(server)}`)).rejects.toMatchObject({ code: 'registry-address' });
    expect(server.requests).toEqual([]);
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/x', 'http://[::ffff:a9fe:a9fe]/'])(
    'does not lead us by a redirect to %s',
    async (location) => {
      const server = await startHostile((_, response) => response.writeHead(307, { location }).end());
      const { addresses: own } = registryNetwork(configOf({ network: { allowedHosts: [server.host] } }));
      await expect(head(open({ addresses: own, settings: plain }), server.host)).rejects.toMatchObject({
        code: 'registry-address',
      });
    },
  );
});

describe('what an administrator configures', () => {
  it('is connected to at any address, with that port alone', async () => {
    const server = await startHostile((_, response) => response.writeHead(404).end());
    const other = await startHostile((_, response) => response.writeHead(404).end());
    const { addresses, settings } = registryNetwork(configOf({ registries: [{ host: server.host, plainHTTP: true }] }));
    const client = open({ addresses, settings });
    expect(await head(client, server.host)).toBeUndefined();
    await expect(head(client, other.host)).rejects.toMatchObject({ code: 'registry-address' });
  });

  it('can refuse private ranges', async () => {
    const { addresses } = registryNetwork(configOf({ network: { denyPrivate: true } }));
    await expect(head(open({ addresses, settings: plain }), '10.0.0.1:1')).rejects.toMatchObject({
      code: 'registry-address',
    });
  });

  it('trusts the authority of a caFile for that registry alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'supercargo-ca-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, createCertificate().caPem);
    const [server, other] = [
      await startHostile((_, response) => response.writeHead(404).end(), { tls: true }),
      await startHostile((_, response) => response.writeHead(404).end(), { tls: true }),
    ];
    const network = { allowLoopback: true };
    const client = open(registryNetwork(configOf({ network, registries: [{ host: server.host, caFile }] })));
    expect(await head(client, server.host)).toBeUndefined();
    await expect(head(client, other.host)).rejects.toMatchObject({ code: 'registry-tls' });
  });

  it('insecureSkipVerify takes any certificate, and never plain HTTP', async () => {
    const [secure, spoken] = [
      await startHostile((_, response) => response.writeHead(404).end(), { tls: true }),
      await startHostile((_, response) => response.writeHead(404).end()),
    ];
    const registries = [secure, spoken].map(({ host }) => ({ host, insecureSkipVerify: true }));
    const client = open(registryNetwork(configOf({ registries })));
    expect(await head(client, secure.host)).toBeUndefined();
    await expect(head(client, spoken.host)).rejects.toBeInstanceOf(Error);
    expect(spoken.requests).toEqual([]);
  });

  it('is refused when it contradicts itself, or names a file without certificates', () => {
    expect(() => configOf({ registries: [{ host: 'a', plainHTTP: true, insecureSkipVerify: true }] })).toThrow(
      'plainHTTP means no TLS',
    );
    expect(() => registryNetwork(configOf({ registries: [{ host: 'a', caFile: '/dev/null' }] }))).toThrow(
      'holds no PEM certificate',
    );
  });
});
