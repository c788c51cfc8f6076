import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { dockerConfigSource, fitOfKey, parseDockerConfig, parsePullSecret } from './docker-config.ts';
import { ecrCredentials, ecrRegion } from './ecr.ts';
import { runHelper } from './helper.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const namesOf = async (source: ReturnType<typeof dockerConfigSource>, registry: string, repository?: string) =>
  (await source({ registry, repository }, undefined)).map((credential) =>
    credential.kind === 'basic'
      ? `${credential.username}:${credential.password}`
      : `${credential.kind} ${credential.token}`,
  );

describe('a docker configuration', () => {
  const config = parseDockerConfig(
    JSON.stringify({
      auths: {
        'https://index.docker.io/v1/': { auth: base64('hub:p:w') },
        'quay.io': { username: 'u', password: 'p' },
        'quay.io/team': { auth: base64('team:1') },
        '*.example.com': { auth: base64('star:1') },
        'r.example.com': { identitytoken: 'refresh' },
        'http://plain:5000/v2/': { registrytoken: 'bearer' },
        'empty.io': {},
      },
    }),
    'the test',
  );
  const source = dockerConfigSource(config);

  it.each([
    ['docker.io', undefined, ['hub:p:w']],
    ['quay.io', 'other/app', ['u:p']],
    ['quay.io', 'team/app', ['team:1', 'u:p']],
    ['quay.io', 'teams/app', ['u:p']],
    ['r.example.com', undefined, ['identity refresh', 'star:1']],
    ['a.b.example.com', undefined, []],
    ['plain:5000', undefined, ['registry bearer']],
    ['empty.io', undefined, []],
    ['unknown.io', undefined, []],
  ] as const)('for %s (%s) has %j', async (registry, repository, expected) => {
    expect(await namesOf(source, registry, repository)).toEqual(expected);
  });

  it('that is invalid is refused without quoting it', () => {
    for (const text of [
      '{"auths":{"a":{"auth":"hunter2"',
      '[]',
      '{"auths":[]}',
      '{"auths":{"a":{"auth":"aHVudGVyMg=="}}}',
    ]) {
      const read = () => parseDockerConfig(text, 'config.json');
      expect(read).toThrow(/^config\.json/);
      expect(read).not.toThrow(/hunter2|aHVudGVyMg/);
    }
  });

  it('of a pull secret is parsed by its type, and its helpers are never started', () => {
    const inside = { auths: { 'a.io': { auth: base64('x:y') } }, credHelpers: { 'b.io': 'evil' }, credsStore: 'evil' };
    const data = { '.dockerconfigjson': base64(JSON.stringify(inside)) };
    const parsed = parsePullSecret({ type: 'kubernetes.io/dockerconfigjson', data }, 'ns/secret');
    expect(parsed).toMatchObject({ credHelpers: {}, auths: [{ key: 'a.io' }] });
    expect(parsed?.credsStore).toBeUndefined();
    const old = { '.dockercfg': base64(JSON.stringify({ 'a.io': { auth: base64('x:y') } })) };
    expect(parsePullSecret({ type: 'kubernetes.io/dockercfg', data: old }, 's')?.auths).toHaveLength(1);
    expect(parsePullSecret({ type: 'Opaque', data: {} }, 's')).toBeUndefined();
    expect(() => parsePullSecret({ type: 'kubernetes.io/dockercfg', data: {} }, 'ns/s')).toThrow(
      'ns/s has no .dockercfg',
    );
  });

  it('matches hosts label by label', () => {
    const fits = (key: string, registry: string) => fitOfKey(key, { registry }) !== undefined;
    expect(fits('*.io', 'quay.io')).toBe(true);
    expect(fits('*.io', 'a.quay.io')).toBe(false);
    expect(fits('a*c.io', 'abc.io')).toBe(true);
    expect(fits('a*c.io', 'ac.io')).toBe(true);
    expect(fits('a*c.io', 'ab.io')).toBe(false);
    expect(fits('*.io:5000', 'x.io:5001')).toBe(false);
    expect(fits('quay.io', 'quay.io.evil')).toBe(false);
  });
});

describe('a credential helper', () => {
  const withHelper = async (script: string, work: (env: Record<string, string>) => Promise<void>) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-helper-'));
    const file = path.join(folder, 'docker-credential-test');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    try {
      await work({ PATH: `${folder}:${process.env['PATH']}` });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it('gets the server name on its standard input', async () => {
    await withHelper('read server; echo "{\\"Username\\":\\"u\\",\\"Secret\\":\\"for $server\\"}"', async (env) => {
      const config = { auths: [], credHelpers: { 'quay.io': 'test' }, credsStore: 'test' };
      const source = dockerConfigSource(config, runHelper(env));
      expect(await namesOf(source, 'quay.io')).toEqual(['u:for quay.io']);
      expect(await namesOf(source, 'docker.io')).toEqual(['u:for https://index.docker.io/v1/']);
    });
  });

  it('without credentials for the server returns none', async () => {
    await withHelper('echo "credentials not found in native keychain"; exit 1', async (env) => {
      expect(await runHelper(env)('test', 'quay.io', undefined)).toEqual([]);
    });
  });

  it('that fails is named in the error, without its output', async () => {
    await withHelper('echo hunter2; exit 3', async (env) => {
      const failed = runHelper(env)('test', 'quay.io', undefined);
      await expect(failed).rejects.toThrow('docker-credential-test failed with exit status 3');
      await expect(failed).rejects.not.toThrow('hunter2');
    });
    await expect(runHelper({ PATH: '/nowhere' })('test', 'x', undefined)).rejects.toThrow('is not on the PATH');
    await expect(runHelper()('../evil', 'x', undefined)).rejects.toThrow('is not a valid name of a credential helper');
  });
});

describe('ECR', () => {
  it.each([
    ['123456789012.dkr.ecr.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['123456789012.dkr-ecr.eu-west-1.on.aws', 'eu-west-1'],
    ['public.ecr.aws', undefined],
    ['123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example', undefined],
  ])('of %s is in %s', (registry, region) => expect(ecrRegion(registry)).toBe(region));

  it('is called once, again before its token expires, and after a failure', async () => {
    let now = 0;
    let asked = 0;
    let isDown = true;
    const hour = 3_600_000;
    const source = ecrCredentials(
      async (region) => {
        asked++;
        if (isDown) throw new Error('down');
        return { authorizationToken: base64(`AWS:${region}-${asked}`), expiresAtMs: now + 12 * hour };
      },
      { ...systemClock, now: () => now },
    );
    const target = { registry: '123456789012.dkr.ecr.eu-west-1.amazonaws.com' };
    await expect(source(target, undefined)).rejects.toThrow('down');
    isDown = false;
    const [first, same] = await Promise.all([source(target, undefined), source(target, undefined)]);
    expect(first).toEqual([
      { kind: 'basic', username: 'AWS', password: 'eu-west-1-2', from: 'Amazon ECR', renewAtMs: 11 * hour },
    ]);
    expect(same).toEqual(first);
    now = 10 * hour;
    expect(await source(target, undefined)).toEqual(first);
    now = 11 * hour + 1;
    expect(await source(target, undefined)).toMatchObject([{ password: 'eu-west-1-3' }]);
    expect(await source({ registry: 'quay.io' }, undefined)).toEqual([]);
  });
});
