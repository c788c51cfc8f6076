import { expect, it } from 'vitest';
import { nodeProgram } from '../../support/node-program.ts';
import { configMap, deployment } from './objects.ts';
import type { Session } from './session.ts';

/** Compares two folders as kubectl asks of `diff`: prints lines that only one of them has, and ends with 1 if any. */
const comparison = nodeProgram(`
  const { readdirSync, readFileSync } = require('node:fs');
  const linesOf = (dir) => readdirSync(dir).flatMap((name) => readFileSync(dir + '/' + name, 'utf8').split('\\n'));
  const [before, after] = process.argv.slice(2).map(linesOf);
  const changes = [
    ...before.filter((line) => !after.includes(line)).map((line) => '-' + line),
    ...after.filter((line) => !before.includes(line)).map((line) => '+' + line),
  ];
  for (const change of changes) console.log(change);
  process.exitCode = changes.length > 0 ? 1 : 0;
`);

export function defineApplying(session: Session): void {
  it('creates, leaves unchanged and configures with apply, and takes away what left the file', async () => {
    const k = await session.inNamespace();
    expect(await k.apply(configMap('c', { a: '1', b: '2' }))).toBe('configmap/c created\n');
    expect(await k.apply(configMap('c', { a: '1', b: '2' }))).toBe('configmap/c unchanged\n');
    await k.ok(['patch', 'cm', 'c', '--type=merge', '-p', '{"data":{"foreign":"3"}}']);
    expect(await k.apply(configMap('c', { a: '9' }))).toBe('configmap/c configured\n');
    expect((await k.json('get cm c')).data).toEqual({ a: '9', foreign: '3' });
  });

  it('keeps the replicas that someone else set when the file does not name them', async () => {
    const k = await session.inNamespace();
    const { replicas: _, ...spec } = deployment('web').spec;
    const manifest = { ...deployment('web'), spec };
    await k.apply(manifest);
    expect(await k.apply(manifest)).toBe('deployment.apps/web unchanged\n');
    await k.ok('scale deploy web --replicas=2');
    expect(await k.apply({ ...manifest, metadata: { ...manifest.metadata, annotations: { note: 'x' } } })).toBe(
      'deployment.apps/web configured\n',
    );
    expect((await k.json('get deploy web')).spec['replicas']).toBe(2);
  });

  it('removes a container, an env variable and a label that left the file of a deployment', async () => {
    const k = await session.inNamespace();
    const full = deployment('web');
    const containers = [
      {
        name: 'main',
        image: 'nginx:1.28',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      { name: 'side', image: 'busybox:1.37' },
    ];
    const withContainers = (list: readonly object[], labels: object) => ({
      ...full,
      metadata: { ...full.metadata, labels },
      spec: { ...full.spec, template: { ...full.spec.template, spec: { containers: list } } },
    });
    await k.apply(withContainers(containers, { app: 'web', extra: 'x' }));
    const left = { name: 'main', image: 'nginx:1.28', env: [{ name: 'B', value: '2' }] };
    expect(await k.apply(withContainers([left], { app: 'web' }))).toBe('deployment.apps/web configured\n');
    const found = await k.json('get deploy web');
    expect(found.metadata.labels).toEqual({ app: 'web' });
    expect(found.spec).toMatchObject({ template: { spec: { containers: [{ name: 'main', env: [{ name: 'B' }] }] } } });
  });

  it('applies on the server side, names the conflict and overcomes it when forced', async () => {
    const k = await session.inNamespace();
    const apply = (args: string, data: Readonly<Record<string, string>>) =>
      k.run(`apply --server-side -f -${args}`, { input: configMap('c', data) });
    expect((await apply('', { a: '1' })).stdout).toBe('configmap/c serverside-applied\n');
    expect((await apply('', { a: '1' })).stdout).toBe('configmap/c serverside-applied\n');
    const conflict = await apply(' --field-manager=other', { a: '2' });
    expect(conflict.exitCode).toBe(1);
    expect(conflict.stderr).toContain(
      'error: Apply failed with 1 conflict: conflict with "kubectl": .data.a\nPlease review the fields above',
    );
    expect((await apply(' --field-manager=other --force-conflicts', { a: '2' })).exitCode).toBe(0);
    const found = await k.json('get cm c --show-managed-fields');
    expect(found.data).toEqual({ a: '2' });
    expect(found.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
      'other Apply',
    ]);
  });

  it('takes over from client-side apply on the server side without a conflict', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('c', { a: '1', b: '2' }));
    const input = configMap('c', { a: '2' });
    expect(await k.ok('apply --server-side -f -', { input })).toBe('configmap/c serverside-applied\n');
    const found = await k.json('get cm c');
    expect(found.data).toEqual({ a: '2' });
  });

  it('tries without doing, on the client and on the server', async () => {
    const k = await session.inNamespace();
    const input = configMap('c');
    expect(await k.ok('apply --dry-run=client -f -', { input })).toBe('configmap/c created (dry run)\n');
    expect(await k.ok('apply --dry-run=server -f -', { input })).toBe('configmap/c created (server dry run)\n');
    expect(await k.ok('apply --server-side --dry-run=server -f -', { input })).toBe(
      'configmap/c serverside-applied (server dry run)\n',
    );
    expect(await k.fails('get cm c')).toContain('NotFound');
    const bad = { ...configMap('c'), metadata: { name: 'c', labels: { 'not a label': 'x' } } };
    expect(await k.fails('apply --dry-run=server -f -', { input: bad })).toMatch(
      /The ConfigMap "c" is invalid: metadata\.labels: Invalid value: "not a label"/,
    );
  });

  it('shows with diff what apply would change and ends with 1', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('c', { a: '1' }));
    const env = { KUBECTL_EXTERNAL_DIFF: k.file('compare', comparison) };
    const same = await k.run('diff -f -', { input: configMap('c', { a: '1' }), env });
    expect(same).toMatchObject({ exitCode: 0, stdout: '' });
    const changed = await k.run('diff -f -', { input: configMap('c', { a: '2' }), env });
    expect(changed).toMatchObject({ exitCode: 1, stdout: '-  a: "1"\n+  a: "2"\n' });
    const added = await k.run('diff --server-side -f -', { input: configMap('new'), env });
    expect(added).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('+  name: new\n') });
    expect(added.stdout).not.toMatch(/^-/m);
  });

  it('prunes what carries the label and left the files', async () => {
    const k = await session.inNamespace();
    const labels = { app: 'pruned' };
    await k.apply(
      configMap('keep', { k: 'v' }, { labels }),
      configMap('drop', { k: 'v' }, { labels }),
      configMap('other'),
    );
    const prune = 'apply -f - --prune -l app=pruned --prune-allowlist=core/v1/ConfigMap';
    const output = await k.ok(prune, { input: configMap('keep', { k: 'v' }, { labels }) });
    expect(output).toBe('configmap/keep unchanged\nconfigmap/drop pruned\n');
    expect(await k.ok('get cm other -o name')).toBe('configmap/other\n');
  });

  it('applies a list', async () => {
    const k = await session.inNamespace();
    const input = { apiVersion: 'v1', kind: 'List', items: [configMap('a'), configMap('b')] };
    expect(await k.ok('apply -f -', { input })).toBe('configmap/a created\nconfigmap/b created\n');
  });

  it('applies a kustomization', async () => {
    const k = await session.inNamespace();
    k.file('base/web.yaml', deployment('web'));
    const kustomization = {
      resources: ['base/web.yaml'],
      namePrefix: 'my-',
      labels: [{ pairs: { team: 'blue' } }],
      images: [{ name: 'nginx', newTag: '1.99' }],
      configMapGenerator: [{ name: 'settings', literals: ['mode=test'] }],
    };
    const folder = k.file('kustomization.yaml', kustomization).replace(/\/kustomization\.yaml$/, '');
    const output = await k.ok(['apply', '-k', folder]);
    expect(output).toMatch(/^configmap\/my-settings-\w+ created\ndeployment\.apps\/my-web created\n$/);
    expect(await k.ok('get deploy -l team=blue -o jsonpath={..image}')).toBe('nginx:1.99');
    expect(await k.ok(['delete', '-k', folder])).toContain('deployment.apps "my-web" deleted');
  });

  it('reports a field that the kind does not have before anything is changed', async () => {
    const k = await session.inNamespace();
    const input = { ...configMap('c'), dta: { k: 'v' } };
    expect(await k.fails('apply -f -', { input })).toMatch(
      /^Error from server \(BadRequest\): .*ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"\n$/,
    );
    const { exitCode, stderr } = await k.run('apply --validate=warn -f -', { input });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Warning: unknown field "dta"\n' });
  });

  it('goes on with the other objects of a file when one is refused', async () => {
    const k = await session.inNamespace();
    const { exitCode, stdout, stderr } = await k.run('apply -f -', {
      input: [configMap('good'), configMap('Bad_Name'), configMap('fine')],
    });
    expect(exitCode).toBe(1);
    expect(stdout).toBe('configmap/good created\nconfigmap/fine created\n');
    expect(stderr).toMatch(
      /The ConfigMap "Bad_Name" is invalid: metadata\.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/,
    );
  });
}
