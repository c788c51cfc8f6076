import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { parseReference, type Tag } from '../../src/image/index.ts';
import {
  awsEcrToken,
  createRegistryClient,
  ecrCredentials,
  findMissing,
  type RegistryClientOptions,
} from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { type Certificate, generateCertificate } from '../support/certificate.ts';
import { type DockerRegistry, findProgram, startDockerRegistry } from '../support/docker-registry.ts';
import { findMoto, type Moto, startMoto } from '../support/moto.ts';
import { runProgram } from '../support/program.ts';
import { pushImage } from '../support/push-image.ts';
import { missingOf } from '../support/skip.ts';
import { startTunnel, type Tunnel } from '../support/tunnel.ts';

const program = findMoto();
const missing = missingOf('a registry of ECR', {
  moto_server: program,
  'docker-registry': findProgram('docker-registry'),
});

const region = 'eu-central-1';
const host = `123456789012.dkr.ecr.${region}.amazonaws.com`;
const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'example' };
// The bcrypt hash of the one token that moto hands out for this account, and when it says that it runs out.
const htpasswd = 'AWS:$2a$05$i5/K.xayCKemrJj/r.c1UOAjidprtyzdDPV.ymLhxhRuNrjVXRCyW\n';
const expiresAtMs = Date.UTC(2015, 0, 1);
const hour = 3_600_000;

/** A registry at ECR's own address that takes ECR's token and nothing else; AWS as far as it hands out the token. */
describe.skipIf(missing !== undefined)('a registry of ECR', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-ecr-'));
  let [certificate, registry, tunnel, moto, aws, backup] = [] as unknown as [
    Certificate,
    DockerRegistry,
    Tunnel,
    Moto,
    CountedAws,
    RegistryServer,
  ];
  beforeAll(async () => {
    certificate = generateCertificate([host]);
    writeFileSync(path.join(folder, 'ca.pem'), certificate.caPem);
    registry = await startDockerRegistry({ htpasswd, tls: certificate });
    tunnel = await startTunnel(Number(registry.host.split(':')[1]));
    moto = await startMoto(program!);
    aws = await countCalls(moto.endpoint);
    backup = await startRegistryServer();
  }, 90_000);
  afterAll(async () => {
    await backup?.stop();
    await aws?.stop();
    await moto?.stop();
    await tunnel?.stop();
    await registry?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const clientOf = (options: RegistryClientOptions) =>
    createRegistryClient({
      settings: () => ({ ca: certificate.caPem }),
      proxy: { httpsProxy: tunnel.url },
      ...options,
    });

  it('refuses clients without a token', async () => {
    const client = clientOf({ attempts: 1 });
    try {
      const repository = parseReference(`${host}/team/app`);
      await expect(client.headManifest(repository, 'v1' as Tag)).rejects.toMatchObject({
        code: 'registry-unauthorized',
      });
    } finally {
      await client.close();
    }
  });

  it('is logged in to with a token of the AWS identity, once, and again before the token runs out', async () => {
    let now = expiresAtMs - 12 * hour;
    const clock = { ...systemClock, now: () => now };
    const getToken = awsEcrToken({ endpoint: aws.endpoint, credentials: keys });
    const client = clientOf({ credentials: ecrCredentials(getToken, clock), clock });
    try {
      const digest = await pushImage(client, `${host}/team/app:v1`);
      const look = async () =>
        (await client.headManifest(parseReference(`${host}/team/app`), 'v1' as Tag))?.digest === digest;
      expect(await look()).toBe(true);
      expect(aws.calls).toEqual(['GetAuthorizationToken']);
      now = expiresAtMs - hour - 1;
      expect(await look()).toBe(true);
      expect(aws.calls).toHaveLength(1);
      now = expiresAtMs - hour;
      expect(await look()).toBe(true);
      expect(aws.calls).toEqual(['GetAuthorizationToken', 'GetAuthorizationToken']);
    } finally {
      await client.close();
    }
  });

  it('is copied from by the program, with nothing but keys in its environment', async () => {
    const image = `${host}/team/app:v1`;
    const asked = tunnel.asked.length;
    const env = {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_ENDPOINT_URL: moto.endpoint,
      HTTPS_PROXY: tunnel.url,
    };
    const args = ['mirror', image, '--to', backup.host, '--ca-file', path.join(folder, 'ca.pem')];
    const { exitCode, stderr, stdout } = await runProgram(args, { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('supercargo:') });
    expect(stdout).toContain('copied');
    expect(tunnel.asked.length).toBeGreaterThan(asked);
    expect(new Set(tunnel.asked)).toEqual(new Set([`${host}:443`]));
    const client = createRegistryClient();
    try {
      const { tag, ...copy } = parseReference(`${backup.host}/${host}/team/app:v1`);
      expect(await findMissing(client, copy, tag!)).toEqual([]);
    } finally {
      await client.close();
    }
  });
});

interface CountedAws {
  readonly endpoint: string;
  readonly calls: readonly string[];
  stop(): Promise<void>;
}

/** Passes calls on to an AWS API and notes their names. */
async function countCalls(endpoint: string): Promise<CountedAws> {
  const calls: string[] = [];
  const server: Server = createServer((request, response) => {
    calls.push(String(request.headers['x-amz-target']).replace(/^.*\./, ''));
    const { method = 'POST', headers } = request;
    const passed = forward(new URL(request.url ?? '/', endpoint), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
