/** `supercargo mirror` from ECR: the login comes from AWS. The registry's own name leads to this machine by a proxy. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../../src/base/index.ts';
import { createRegistryClient, findMissing, staticSource } from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { type EcrServer, startEcrServer } from '../support/ecr-server.ts';
import { runProgram } from '../support/program.ts';
import { pushImage } from '../support/push-image.ts';

const host = '123456789012.dkr.ecr.eu-central-1.amazonaws.com';
const password = 'a-password-of-twelve-hours';

describe('supercargo mirror from ECR', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-mirror-ecr-'));
  const caFile = path.join(folder, 'ca.pem');
  let source: RegistryServer;
  let target: RegistryServer;
  let ecr: EcrServer;
  let proxy: Server;

  beforeAll(async () => {
    const now = Date.now();
    const authority = createAuthority({ commonName: 'supercargo tests', now, validDays: 2 });
    const hosts = [host, '127.0.0.1'];
    const issued = issueCertificate(authority, { commonName: host, hosts, usage: 'server', now, validDays: 2 });
    writeFileSync(caFile, authority.certPem);
    source = await startRegistryServer({ users: { AWS: password }, certificate: issued, names: [host] });
    target = await startRegistryServer();
    ecr = await startEcrServer('eu-central-1', {}, password);
    proxy = createServer().on('connect', (_, socket) => {
      const onward = connect(source.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      for (const end of [socket, onward]) end.on('error', () => undefined);
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const images = createRegistryClient({
      credentials: staticSource(source.host, 'AWS', password, 'test'),
      settings: () => ({ ca: authority.certPem }),
    });
    await pushImage(images, `${source.host}/shop/web:1`);
    await images.close();
  });
  afterAll(async () => {
    proxy?.close();
    await ecr?.stop();
    await source?.stop();
    await target?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('signs in with what AWS says, and copies', async () => {
    const env = {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      AWS_ENDPOINT_URL: ecr.endpoint,
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'x',
    };
    const args = ['mirror', `${host}/shop/web:1`, '--to', target.host, '--ca-file', caFile, '-o', 'json'];
    const { exitCode, stdout, stderr } = await runProgram(args, { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ images: [{ source: `${host}/shop/web:1`, state: 'copied' }] });
    expect(ecr.keys).toEqual(['AKIAEXAMPLE']);
    const images = createRegistryClient();
    expect(await findMissing(images, { registry: target.host, path: `${host}/shop/web` }, '1' as never)).toEqual([]);
    await images.close();
  });
});
