/** `supercargo mirror` as a person meets it: the built program, two registries, a terminal or none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tag } from '../../src/image/index.ts';
import { createRegistryClient, findMissing, type RegistryClient, staticSource } from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { createCertificate } from '../support/certificate.ts';
import { runProgram } from '../support/program.ts';
import { layerBytes, pushImage, pushMultiArch } from '../support/registry-images.ts';

describe('supercargo mirror', { timeout: 60_000 }, () => {
  const password = 'a-password-of-the-test';
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-mirror-'));
  let source: RegistryServer;
  let target: RegistryServer;
  let client: RegistryClient;
  let env: Record<string, string>;
  let caFile: string;
  beforeAll(async () => {
    const { key, cert, caPem } = createCertificate();
    source = await startRegistryServer();
    target = await startRegistryServer({ users: { backup: password }, certificate: { keyPem: key, certPem: cert } });
    client = createRegistryClient({
      credentials: staticSource(target.host, 'backup', password, 'test'),
      settings: () => ({ ca: caPem }),
    });
    caFile = path.join(folder, 'ca.pem');
    writeFileSync(caFile, caPem);
    env = { BACKUP_REGISTRY_USERNAME: 'backup', BACKUP_REGISTRY_PASSWORD: password };
    await pushImage(client, { registry: source.host, path: 'team/app' }, 'v1', { layers: [layerBytes(400_000)] });
    await pushMultiArch(client, { registry: source.host, path: 'team/multi' }, 'v2');
  });
  afterAll(async () => {
    await client?.close();
    await source?.stop();
    await target?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const mirror = (args: readonly string[], input = '') =>
    runProgram(['mirror', '--ca-file', caFile, ...args], { env }, input);
  const component = () => source.host.replace(':', '_');

  it('copies by registry and path, says what it did, and does nothing the second time', async () => {
    const list = path.join(folder, 'images.txt');
    writeFileSync(list, `# what we run\n${source.host}/team/multi:v2   # with its platforms\n\n`);
    const args = [`${source.host}/team/app:v1`, '-f', list, '--to', target.host];
    const first = await mirror(args);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toMatch(/^SOURCE +COPY +DIGEST +STATE +SENT\n/);
    expect(first.stdout).toContain(`${target.host}/${component()}/team/app:v1`);
    for (const [name, tag] of [
      ['app', 'v1'],
      ['multi', 'v2'],
    ] as const)
      expect(
        await findMissing(client, { registry: target.host, path: `${component()}/team/${name}` }, tag as Tag),
      ).toEqual([]);
    const second = await mirror([...args, '-o', 'json']);
    const { images } = JSON.parse(second.stdout) as { images: readonly { state: string; copiedBytes: number }[] };
    expect(images.map(({ state, copiedBytes }) => ({ state, copiedBytes }))).toEqual([
      { state: 'present', copiedBytes: 0 },
      { state: 'present', copiedBytes: 0 },
    ]);
  });

  it('tries without writing, and takes a subset of platforms and other names', async () => {
    const dry = await mirror([`${source.host}/team/multi:v2`, '--to', `${target.host}/dry`, '--dry-run', '-o', 'json']);
    expect(JSON.parse(dry.stdout).images).toMatchObject([{ state: 'planned', copiedBlobs: 7 }]);
    expect(
      await client.headManifest({ registry: target.host, path: `dry/${component()}/team/multi` }, 'v2' as Tag),
    ).toBeUndefined();
    const part = await mirror([
      `${source.host}/team/multi:v2`,
      '--to',
      `${target.host}/part`,
      '--mapping',
      'basename',
      '--platform',
      'arm64',
    ]);
    expect(part).toMatchObject({ exitCode: 0, stderr: '' });
    const copy = await client.getManifest({ registry: target.host, path: 'part/multi' }, 'v2' as Tag);
    expect(copy.manifest.manifests.map(({ platform }) => platform?.architecture)).toEqual(['arm64']);
  });

  it('goes on after an image that fails, and ends with 1', async () => {
    const { exitCode, stdout, stderr } = await mirror([
      `${source.host}/none:v1`,
      `${source.host}/team/app:v1`,
      '--to',
      `${target.host}/some`,
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `supercargo: ${source.host}/none:v1: ${source.host}/none:v1 does not exist; check the name, and whether the credentials may read it\n`,
    );
    expect(stdout).toMatch(/failed/);
    expect(stdout).toMatch(/copied/);
  });

  it.each([
    [['app'], 'say where copies go: --to REGISTRY, or set BACKUP_REGISTRY'],
    [['--to', 'r.example'], 'no image is named'],
    [['UPPER', '--to', 'r.example'], 'must be in lower case'],
    [['app', '--to', 'https://r.example'], 'is no registry'],
    [['r.example/x/app', '--to', 'r.example/x'], 'is in the registry that copies go to'],
    [['a/x', 'b/x', '--to', 'r.example', '--mapping', 'basename'], 'that is the copy of docker.io/a/x'],
    [[`app@sha256:${'0'.repeat(64)}`, '--to', 'r.example', '--platform', 'linux/amd64'], 'named by its digest'],
    [['app', '--to', 'r.example', '--platform', 'linux/amd46'], 'there is no architecture "amd46"'],
    [['app', '--to', 'r.example', '-f', 'nowhere.txt'], 'cannot read nowhere.txt'],
    [['app', '--to', 'r.example', '--mapping', 'other'], 'Allowed choices are path, flat, basename'],
    [['app', '--to', 'r.example', '--jobs', '0'], 'a whole number from 1 to 32'],
  ] as const)('refuses %j in one line', async (args, why) => {
    const { exitCode, stdout, stderr } = await mirror(args);
    expect({ exitCode, stdout, lines: stderr.split('\n').length }, stderr).toEqual({
      exitCode: 2,
      stdout: '',
      lines: 2,
    });
    expect(stderr).toContain(why);
  });

  it('never shows the password, also when it is wrong', async () => {
    const wrong = { ...env, BACKUP_REGISTRY_PASSWORD: 'wrong-and-secret' };
    const args = ['mirror', '--ca-file', caFile, `${source.host}/team/app:v1`, '--to', target.host];
    const { exitCode, stdout, stderr } = await runProgram(args, { env: wrong });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('check the user and password for this registry');
    expect(stdout + stderr).not.toContain('wrong-and-secret');
  });
});
