/** Docker's own registry under the same suite as the embedded one, and skopeo and crane against the embedded one. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseReference, type Tag } from '../../src/image/index.ts';
import {
  createCopier,
  createRegistryClient,
  findMissing,
  type RegistryClient,
  staticSource,
} from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { defineRegistryContract } from '../contract-registry/contract.ts';
import { createCertificate } from '../support/certificate.ts';
import { type DockerRegistry, findProgram, startDockerRegistry } from '../support/docker-registry.ts';
import { digestsOf, layerBytes, pushImage, pushMultiArch, repositoryOf } from '../support/registry-images.ts';
import { missingOf, skipReason } from '../support/skip.ts';

const run = promisify(execFile);
const programs = Object.fromEntries(
  ['docker-registry', 'skopeo', 'crane', 'oci-conformance'].map((name) => [name, findProgram(name)]),
);
const missing = (what: string, ...names: readonly string[]) =>
  missingOf(what, Object.fromEntries(names.map((name) => [name, programs[name]])));

// The bcrypt hash of the password below.
const htpasswd = 'alice:$2y$05$p3D9ceTgf6dXudFfdZetVuhhuPyoIZZLIzpTTCoB3S5mNFwFgG72W\n';
const password = 'wonderland-9321';

const noRegistry = missing('real registries', 'docker-registry');
describe.skipIf(noRegistry !== undefined)('real registries', () => {
  defineRegistryContract({
    name: "Docker's registry",
    manyRepositories: 1000,
    manyTags: 10_000,
    start: () => startDockerRegistry(),
  });

  defineRegistryContract({
    name: "Docker's registry with a password",
    manyRepositories: 20,
    manyTags: 50,
    async start() {
      const registry = await startDockerRegistry({ htpasswd });
      return { ...registry, credentials: staticSource(registry.host, 'alice', password, 'the test') };
    },
  });

  defineRegistryContract({
    name: "Docker's registry with TLS of an own authority",
    manyRepositories: 20,
    manyTags: 50,
    async start() {
      const { key, cert, caPem } = createCertificate();
      return { ...(await startDockerRegistry({ tls: { key, cert } })), ca: caPem };
    },
  });

  it('are not trusted without their authority, and the error says what to do', async () => {
    const { key, cert } = createCertificate();
    const registry = await startDockerRegistry({ tls: { key, cert } });
    const client = createRegistryClient({ attempts: 2, retryBaseMs: 1 });
    try {
      await expect(client.headManifest(repositoryOf(`${registry.host}/a`), 'v1' as Tag)).rejects.toMatchObject({
        code: 'registry-tls',
        message: expect.stringContaining('name its authority with a CA file'),
      });
    } finally {
      await client.close();
      await registry.stop();
    }
  });
});

defineRegistryContract({
  name: 'the embedded registry with many tags and repositories',
  manyRepositories: 1000,
  manyTags: 10_000,
  start: () => startRegistryServer(),
});

const noSkopeo = missing('between skopeo and us', 'docker-registry', 'skopeo');
describe.skipIf(noSkopeo !== undefined)('between skopeo and us', { timeout: 60_000 }, () => {
  let source: DockerRegistry;
  let embedded: RegistryServer;
  let client: RegistryClient;
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-skopeo-'));
  const skopeo = async (...args: readonly string[]) => {
    const policy = path.join(folder, 'policy.json');
    writeFileSync(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
    return (await run(programs['skopeo']!, ['--policy', policy, ...args], { env: { ...process.env, HOME: folder } }))
      .stdout;
  };
  const insecure = ['--src-tls-verify=false', '--dest-tls-verify=false'];
  beforeAll(async () => {
    source = await startDockerRegistry();
    embedded = await startRegistryServer();
    client = createRegistryClient();
  });
  afterAll(async () => {
    await client?.close();
    await source?.stop();
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('an image pushed by skopeo, copied by us and pulled by skopeo keeps its digests', async () => {
    const made = repositoryOf(`${source.host}/made`);
    const { index, entries } = await pushMultiArch(client, made, 'v1');
    await skopeo('copy', '--all', ...insecure, `docker://${source.host}/made:v1`, `docker://${source.host}/pushed:v1`);
    const copier = createCopier(client);
    const target = parseReference(`${embedded.host}/mirror/pushed:v1`);
    const result = await copier.copy({ source: parseReference(`${source.host}/pushed:v1`), target });
    expect(result).toMatchObject({ digest: index.digest, state: 'copied', copiedBlobs: 7 });
    expect(await findMissing(client, target, 'v1' as Tag)).toEqual([]);
    const pulled = path.join(folder, 'pulled');
    await skopeo(
      'copy',
      '--all',
      '--preserve-digests',
      '--src-tls-verify=false',
      `docker://${embedded.host}/mirror/pushed:v1`,
      `dir:${pulled}`,
    );
    await skopeo(
      'copy',
      '--all',
      '--preserve-digests',
      '--dest-tls-verify=false',
      `dir:${pulled}`,
      `docker://${source.host}/back:v1`,
    );
    const back = await client.getManifest(repositoryOf(`${source.host}/back`), 'v1' as Tag);
    expect(back.digest).toBe(index.digest);
    expect(digestsOf(back.manifest.manifests)).toEqual(digestsOf(entries.map(({ image }) => image)));
  });

  it('skopeo inspects, lists, copies and deletes at the embedded registry', async () => {
    const home = repositoryOf(`${embedded.host}/of/skopeo`);
    const image = await pushImage(client, home, 'v1', { layers: [layerBytes(300_000)] });
    const inspected = JSON.parse(
      await skopeo('inspect', '--tls-verify=false', `docker://${embedded.host}/of/skopeo:v1`),
    );
    expect(inspected).toMatchObject({ Digest: image.digest, RepoTags: ['v1'] });
    await skopeo('copy', ...insecure, `docker://${embedded.host}/of/skopeo:v1`, `docker://${embedded.host}/of/copy:v2`);
    expect(
      JSON.parse(await skopeo('list-tags', '--tls-verify=false', `docker://${embedded.host}/of/copy`)).Tags,
    ).toEqual(['v2']);
    await skopeo('delete', '--tls-verify=false', `docker://${embedded.host}/of/copy:v2`);
    expect(await client.headManifest(repositoryOf(`${embedded.host}/of/copy`), 'v2' as Tag)).toBeUndefined();
  });
});

const noCrane = missing('crane at the embedded registry', 'crane');
describe.skipIf(noCrane !== undefined)('crane at the embedded registry', { timeout: 60_000 }, () => {
  it('pushes, lists, copies, validates, pulls and deletes, with a password', async () => {
    const embedded = await startRegistryServer({ users: { alice: password } });
    const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-crane-'));
    const auth = Buffer.from(`alice:${password}`).toString('base64');
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ auths: { [embedded.host]: { auth } } }));
    const env = { ...process.env, DOCKER_CONFIG: folder };
    const crane = async (...args: readonly string[]) => (await run(programs['crane']!, args, { env })).stdout.trim();
    try {
      writeFileSync(path.join(folder, 'file'), 'hello');
      await run('tar', ['-czf', path.join(folder, 'layer.tar.gz'), '-C', folder, 'file']);
      const image = `${embedded.host}/of/crane:v1`;
      await crane('append', '--oci-empty-base', '-f', path.join(folder, 'layer.tar.gz'), '-t', image);
      await crane('copy', image, `${embedded.host}/of/copy:v2`);
      await crane('validate', '--remote', `${embedded.host}/of/copy:v2`);
      expect(await crane('digest', image)).toBe(await crane('digest', `${embedded.host}/of/copy:v2`));
      expect((await crane('catalog', embedded.host)).split('\n')).toEqual(['of/copy', 'of/crane']);
      await crane('tag', image, 'v3');
      expect((await crane('ls', `${embedded.host}/of/crane`)).split('\n')).toEqual(['v1', 'v3']);
      await crane('pull', image, path.join(folder, 'image.tar'));
      await crane('delete', `${embedded.host}/of/copy:v2`);
      expect(await crane('catalog', embedded.host)).toContain('of/crane');
    } finally {
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

// In no registry of packages: not even .ci/run can install it.
const noSuite = programs['oci-conformance'] === undefined;
if (noSuite) skipReason("the specification's own suite", 'oci-conformance is not installed', { env: {} });
describe.skipIf(noSuite)("the specification's own suite", { timeout: 120_000 }, () => {
  it('passes at the embedded registry', async () => {
    const embedded = await startRegistryServer();
    const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-conformance-'));
    const env = { ...process.env, OCI_REGISTRY: embedded.host, OCI_TLS: 'disabled', OCI_RESULTS_DIR: folder };
    try {
      const { stdout } = await run(programs['oci-conformance']!, [], { env, cwd: folder, maxBuffer: 1 << 26 });
      expect(stdout).toMatch(/^\s*FAIL\.+:\s+0$/m);
    } finally {
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
