/** `supercargo scan` and `supercargo render` as users run them: the built program, with files and registries. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderYaml } from '../../src/base/index.ts';
import { createRegistryClient } from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { type EcrServer, startEcrServer } from '../support/ecr-server.ts';
import { type FaultRegistry, startFaultRegistry } from '../support/fault-registry.ts';
import { runProgram } from '../support/program.ts';
import { pushImage } from '../support/push-image.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-scan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let counter = 0;
const fileOf = (content: unknown) => {
  const file = path.join(folder, `${++counter}.yaml`);
  writeFileSync(file, typeof content === 'string' ? content : renderYaml(content));
  return file;
};

/** Runs a command that must be refused, and answers its one line without the program's name. */
async function refused(args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(args, { env: offline }, input);
  expect({ exitCode, stdout, lines: stderr.split('\n').length }, stderr).toEqual({ exitCode: 2, stdout: '', lines: 2 });
  expect(stderr).toMatch(/^supercargo: /);
  return stderr.trimEnd().slice('supercargo: '.length);
}

/** No machine is asked for its role. */
const offline = { AWS_EC2_METADATA_DISABLED: 'true' };

const policy = (spec: object, kind = 'ImageResourcePolicy') => ({
  apiVersion: 'automation.gitops.io/v1beta1',
  kind,
  metadata: { name: 'web' },
  spec: { policy: { semver: { range: '>=1.0.0' } }, templateRef: { name: 'web' }, ...spec },
});

describe('supercargo scan', { timeout: 60_000 }, () => {
  let server: RegistryServer;
  let registry: FaultRegistry;
  beforeAll(async () => {
    server = await startRegistryServer();
    registry = await startFaultRegistry({
      upstream: server.host,
      fault: ({ url }) => (url.startsWith('/v2/shop/locked/') ? { kind: 'status', status: 403 } : undefined),
    });
    const images = createRegistryClient();
    for (const image of ['web:1.0.0', 'web:1.10.0', 'web:1.9.0', 'web:latest', 'api:2.0.0', 'locked:1.0.0'])
      await pushImage(images, `${server.host}/shop/${image}`);
    await images.close();
  });
  afterAll(async () => {
    await registry?.stop();
    await server?.stop();
  });
  const oci = (patterns: object) => ({ ociRepository: { registry: registry.host, ...patterns } });

  it('says of every tag whether it is chosen, and why', async () => {
    const file = fileOf(policy(oci({ repositoryPattern: 'shop/web' })));
    const { exitCode, stdout, stderr } = await runProgram(['scan', file]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^ +REPOSITORY +TAG +PREFIX +WHY$/m);
    expect(stdout).toMatch(/^✓ +shop\/web +1\.10\.0 +the newest in >=1\.0\.0$/m);
    expect(stdout).toMatch(/^– +shop\/web +1\.9\.0 +1\.10\.0 is preferred$/m);
    expect(stdout).toMatch(/^– +shop\/web +latest +it is not a version$/m);
    expect(stdout).toContain('4 tags of 1 repositories, 1 would be detected\n');
  });

  it('reads standard input, answers JSON, and notes the secrets that it cannot read', async () => {
    const spec = oci({ repositoryPattern: 'shop/api', secretRef: { name: 'login' } });
    const input = renderYaml(policy(spec));
    const { exitCode, stdout, stderr } = await runProgram(['scan', '-', '-o', 'json'], {}, input);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      'supercargo: spec.ociRepository.secretRef (login) was not read: the credentials are those of this machine\n',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'web',
      registry: registry.host,
      chosen: [{ repository: 'shop/api', tag: '2.0.0', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
      tags: [{ repository: 'shop/api', tag: '2.0.0', chosen: true }],
    });
  });

  it('ends with 1 when a part could not be read, and shows the rest', async () => {
    const { exitCode, stdout } = await runProgram(['scan', fileOf(policy(oci({ repositoryPattern: 'shop/*' })))]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✓ +shop\/api +2\.0\.0/m);
    expect(stdout).toMatch(/^shop\/locked could not be read: .*403/m);
  });

  it.each([
    ['nothing that can be read', () => oci({ repositoryPattern: 'shop/locked' }), '403'],
    ['nobody there', () => ({ ociRepository: { registry: '127.0.0.1:1', repositoryPattern: 'a' } }), 'ECONNREFUSED'],
    ['no source', () => ({}), ': spec: exactly one of ecrRepository, ociRepository must be set'],
    ['a lone star', () => oci({ repositoryPattern: '*' }), 'spec.ociRepository: repositoryPattern "*": a lone * would'],
    ['two patterns', () => oci({ repositoryPattern: 'a', imageNamePattern: 'b' }), 'exclude each other: keep one'],
    [
      'no range',
      () => ({ ...oci({ repositoryPattern: 'a' }), policy: { semver: { range: '!' } } }),
      'semver.range: "!"',
    ],
    [
      'no regex',
      () => ({ ...oci({ repositoryPattern: 'a' }), policy: { pattern: { regex: '(' } } }),
      'pattern.regex: ',
    ],
    ['a number', () => oci({ repositoryPattern: 7 }), 'repositoryPattern: 7 is a number where text belongs'],
    [
      'no duration',
      () => oci({ repositoryPattern: 'a', scanTimeout: 'soon' }),
      'spec.ociRepository.scanTimeout: Invalid value: "soon"',
    ],
    [
      'an address',
      () => ({ ociRepository: { registry: 'http://r', repositoryPattern: 'a' } }),
      'registry: "http://r" is no',
    ],
    ['no region', () => ({ ecrRepository: { repositoryPattern: 'a' } }), 'spec.ecrRepository.region: is required'],
    [
      'no keys',
      () => ({ ecrRepository: { region: 'us-east-1', repositoryPattern: 'a' } }),
      'no AWS credentials were found',
    ],
  ] as const)('says in one line what is wrong: %s', async (_, spec, why) => {
    expect(await refused(['scan', fileOf(policy(spec()))])).toContain(why);
  });

  it('says in one line what is wrong with a file', async () => {
    expect(await refused(['scan'])).toContain("missing required argument 'policy'");
    expect(await refused(['scan', 'nowhere.yaml'])).toBe('cannot read nowhere.yaml: there is no such file or folder');
    expect(await refused(['scan', '-'], '')).toBe('-: there is no ImageResourcePolicy in it');
    expect(await refused(['scan', fileOf(policy({}, 'Deployment'))])).toContain(
      'there is no ImageResourcePolicy in it',
    );
    expect(await refused(['scan', fileOf('spec: [')])).toMatch(/\d+\.yaml:\d+:\d+: /);
    expect(await refused(['scan', fileOf('x: &a [*a]')])).toMatch(/\d+\.yaml:/);
  });

  describe('of ECR', () => {
    let ecr: EcrServer;
    beforeAll(async () => {
      ecr = await startEcrServer('eu-central-1', { 'shop/web': ['1.0.0', '1.1.0'], 'other/thing': ['9.0.0'] });
    });
    afterAll(() => ecr?.stop());

    it('uses the keys and the address of the environment', async () => {
      const file = fileOf(policy({ ecrRepository: { region: 'eu-central-1', repositoryPattern: 'shop/*' } }));
      const env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'x', AWS_ENDPOINT_URL: ecr.endpoint };
      const { exitCode, stdout, stderr } = await runProgram(['scan', file, '-o', 'json'], { env });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({
        registry: '123456789012.dkr.ecr.eu-central-1.amazonaws.com',
        repositories: 1,
        chosen: [{ repository: 'shop/web', tag: '1.1.0' }],
      });
      expect(new Set(ecr.keys)).toEqual(new Set(['AKIAEXAMPLE']));
    });
  });
});

const template = (spec: object) => ({
  apiVersion: 'automation.gitops.io/v1beta1',
  kind: 'ResourceTemplate',
  metadata: { name: 'web' },
  spec: { gitRepository: { url: 'https://git.example/x.git', path: 'apps' }, ...spec },
});
const text = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .ServiceName }}, namespace: {{ .Namespace }} }
data: { tag: {{ .ImageTag | quote }}, prefix: {{ .TagPrefix | quote }} }
`;
const image = 'registry.example/shop/web:1.10';

describe('supercargo render', { timeout: 60_000 }, () => {
  it('shows the files and the message of the commit', async () => {
    const args = ['render', fileOf(template({ template: text })), '--image', image, '--prefix', 'dev'];
    const { exitCode, stdout, stderr } = await runProgram([...args, '--var', 'namespace=blue']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(`# apps/shop-web-dev.yaml
apiVersion: v1
kind: ConfigMap
metadata: { name: web, namespace: blue }
data: { tag: "1.10", prefix: "dev" }

# commit message
Add shop-web 1.10
`);
    const json = await runProgram([...args, '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      files: [{ path: 'apps/shop-web-dev.yaml' }],
      message: 'Add shop-web 1.10',
      data: { Registry: 'registry.example', TagPrefix: 'dev', Namespace: 'shop' },
    });
  });

  it('compares with a checked-out repository: 1 when something would change, 0 when not', async () => {
    const checkout = path.join(folder, 'checkout');
    mkdirSync(path.join(checkout, 'apps'), { recursive: true });
    const compare = (duplicateCheck = 'exact') => {
      const file = fileOf(template({ template: 'a: {{ .ImageTag | quote }}\n', duplicateCheck }));
      return runProgram(['render', file, '--image', image, '--against', checkout]);
    };
    const added = await compare();
    expect(added).toMatchObject({ exitCode: 1, stderr: '' });
    expect(added.stdout).toContain('# apps/shop-web.yaml (added)\n+ a: "1.10"\n');
    writeFileSync(path.join(checkout, 'apps/shop-web.yaml'), 'a: "1.9"\n');
    const changed = await compare();
    expect(changed.exitCode).toBe(1);
    expect(changed.stdout).toContain('(changed)\n- a: "1.9"\n+ a: "1.10"\n');
    const kept = await compare('repository');
    expect(kept.exitCode).toBe(0);
    expect(kept.stdout).toContain('# apps/shop-web.yaml (kept as it is: its version is left to GitOps)\n');
    writeFileSync(path.join(checkout, 'apps/shop-web.yaml'), 'a: "1.10"\n');
    const same = await compare();
    expect(same.exitCode).toBe(0);
    expect(same.stdout).toContain('(unchanged)');
  });

  it('reads standard input', async () => {
    const input = renderYaml(template({ template: text }));
    const { exitCode, stdout } = await runProgram(['render', '-', '--image', 'nginx:1'], {}, input);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('# apps/library-nginx.yaml\n');
  });

  it.each([
    ['a name that is not there', { template: 'a: {{ .Missing }}' }, 'map has no entry for key "Missing"'],
    ['a broken action', { template: 'a: {{ .ImageTag' }, 'template: spec.template:1: '],
    ['an unknown function', { template: 'a: {{ shout .ImageTag }}' }, 'function "shout" not defined'],
    ['no YAML', { template: 'a: [' }, 'the rendered text is not YAML: apps/shop-web.yaml:'],
    [
      'a tag that is a number',
      { template: text.replace(' | quote', '') },
      'data.tag: 1.1 is a number where text belongs',
    ],
    ['a way out', { multiFiles: [{ relativePath: '../x.yaml', template: text }] }, 'the path "../x.yaml" leads out'],
    ['nothing to render', {}, 'spec: exactly one of template, multiFiles must be set'],
    ['no address', { template: text, gitRepository: {} }, 'spec.gitRepository.url: is required'],
  ] as const)('says in one line what is wrong: %s', async (_, spec, why) => {
    expect(await refused(['render', fileOf(template(spec)), '--image', image])).toContain(why);
  });

  it('says in one line what is wrong with its options', async () => {
    const file = fileOf(template({ template: text }));
    const wrong = (...args: readonly string[]) => refused(['render', file, ...args]);
    expect(await wrong()).toContain("required option '--image <image>' not specified");
    expect(await wrong('--image', 'NOT AN IMAGE')).toBe('"NOT AN IMAGE" is no image: it has blanks in it');
    expect(await wrong('--image', image, '--digest', 'sha256:12')).toContain('"sha256:12" is no digest');
    expect(await wrong('--image', image, '--var', 'x')).toContain('It is written name=value.');
    expect(await wrong('--image', image, '--against', path.join(folder, 'none'))).toContain(
      'there is no such file or folder',
    );
    expect(await wrong('--image', image, '--against', file)).toBe(`--against ${file} is no folder`);
    expect(await refused(['render', 'nowhere.yaml', '--image', image])).toContain('cannot read nowhere.yaml');
    expect(await refused(['render', fileOf(policy({})), '--image', image])).toContain(
      'there is no ResourceTemplate in it',
    );
  });
});
