import { expect, it } from 'vitest';
import { nodeProgram } from '../../support/node-program.ts';
import { eventually } from '../../support/wait.ts';
import { configMap, deployment, pod } from './objects.ts';
import type { Session } from './session.ts';

/** An editor that puts this expression's value in the place of the file's `text`. */
const editorThat = (expression: string) =>
  nodeProgram(`
    const { readFileSync, writeFileSync } = require('node:fs');
    const [, , file] = process.argv;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, ${expression});
  `);

export function defineChanging(session: Session): void {
  it('edits an object with the editor of the user', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('c', { k: 'before' }));
    const editor = k.file('editor', editorThat("text.replaceAll('before', 'after')"));
    expect(await k.ok('edit cm c', { env: { KUBE_EDITOR: editor } })).toBe('configmap/c edited\n');
    expect((await k.json('get cm c')).data).toEqual({ k: 'after' });
    const idle = k.file('idle', nodeProgram(''));
    expect(await k.run('edit cm c', { env: { KUBE_EDITOR: idle } })).toMatchObject({
      exitCode: 0,
      stderr: 'Edit cancelled, no changes made.\n',
    });
  });

  it('reopens the editor with the reason when the edited object is refused', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web'));
    // The second opening undoes the mistake, which ends the edit.
    const editor = editorThat(
      "/was not valid/.test(text) ? text.replace('replicas: -3', 'replicas: 3') : text.replace(/replicas: 1$/m, 'replicas: -3')",
    );
    await k.ok('edit deploy web', { env: { KUBE_EDITOR: k.file('editor', editor) } });
    expect((await k.json('get deploy web')).spec['replicas']).toBe(3);
  });

  it('patches by JSON, merge and strategic patch', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web'));
    const patch = (type: string, body: object) =>
      k.ok(['patch', 'deploy', 'web', `--type=${type}`, '-p', JSON.stringify(body)]);
    const containers = (list: readonly object[]) => ({ spec: { template: { spec: { containers: list } } } });
    const names = () => k.ok('get deploy web -o jsonpath={..containers[*].name}');

    expect(await patch('strategic', containers([{ name: 'side', image: 'busybox' }]))).toBe(
      'deployment.apps/web patched\n',
    );
    expect(await names()).toBe('side main');
    await patch('strategic', containers([{ name: 'side', $patch: 'delete' } as object]));
    expect(await names()).toBe('main');
    expect(await patch('json', [{ op: 'replace', path: '/spec/replicas', value: 2 }])).toBe(
      'deployment.apps/web patched\n',
    );
    // kubectl compares whole objects, and the controller may write the status meanwhile.
    await eventually(async () =>
      expect(await patch('json', [{ op: 'replace', path: '/spec/replicas', value: 2 }])).toBe(
        'deployment.apps/web patched (no change)\n',
      ),
    );
    await patch('merge', containers([{ name: 'only', image: 'nginx:1.30' }]));
    expect(await names()).toBe('only');
    expect(
      await k.fails([
        'patch',
        'deploy',
        'web',
        '--type=json',
        '-p',
        '[{"op":"test","path":"/spec/replicas","value":9}]',
      ]),
    ).toBe('The request is invalid: the server rejected our request due to an error in our request\n');
  });

  it('patches the status of a pod and nothing else through the subresource', async () => {
    const k = await session.inNamespace();
    await k.apply(pod('one'));
    await k.ok('wait --for=condition=Ready pod/one --timeout=60s');
    const body = { metadata: { labels: { ignored: 'no' } }, status: { message: 'seen' } };
    expect(
      await k.ok(['patch', 'pod', 'one', '--subresource=status', '--type=merge', '-p', JSON.stringify(body)]),
    ).toBe('pod/one patched\n');
    expect((await k.json('get pod one')).status).toMatchObject({ message: 'seen', phase: 'Running' });
    expect(await k.ok('get pod one --subresource=status -o jsonpath={.status.message}')).toBe('seen');
  });

  it('labels and annotates, overwrites only when asked and removes', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('c'), configMap('d'));
    expect(await k.ok('label cm c tier=front')).toBe('configmap/c labeled\n');
    expect(await k.fails('label cm c tier=back')).toBe(
      "error: 'tier' already has a value (front), and --overwrite is false\n",
    );
    expect(await k.ok('label cm c tier=back --overwrite')).toBe('configmap/c labeled\n');
    expect(await k.ok('label cm c d all=1')).toBe('configmap/c labeled\nconfigmap/d labeled\n');
    expect(await k.ok('label cm -l all=1 tier-')).toBe(
      'configmap/c unlabeled\nlabel "tier" not found.\nconfigmap/d not labeled\n',
    );
    expect(await k.ok(['annotate', 'cm', 'c', 'note=two words'])).toBe('configmap/c annotated\n');
    const found = await k.json('get cm c');
    expect(found.metadata.labels).toEqual({ all: '1' });
    expect(found.metadata.annotations['note']).toBe('two words');
    expect(await k.ok('annotate cm c note-')).toBe('configmap/c annotated\n');
    expect(await k.fails('label cm c bad=not/a/value')).toContain('invalid label value: "bad=not/a/value"');
  });

  it('sets image, environment, resources, account and selector', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web'));
    expect(await k.ok('set image deploy/web main=nginx:1.31')).toBe('deployment.apps/web image updated\n');
    expect(await k.ok('set env deploy/web MODE=test')).toBe('deployment.apps/web env updated\n');
    expect(await k.ok('set resources deploy/web --limits=cpu=1,memory=64Mi --requests=cpu=500m')).toBe(
      'deployment.apps/web resource requirements updated\n',
    );
    expect(await k.ok('set serviceaccount deploy/web robot')).toBe('deployment.apps/web serviceaccount updated\n');
    expect((await k.json('get deploy web')).spec).toMatchObject({
      template: {
        spec: {
          serviceAccountName: 'robot',
          containers: [
            {
              image: 'nginx:1.31',
              env: [{ name: 'MODE', value: 'test' }],
              resources: { limits: { cpu: '1', memory: '64Mi' }, requests: { cpu: '500m' } },
            },
          ],
        },
      },
    });
  });

  it('scales, and only from the given number when asked', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 1));
    expect(await k.ok('scale deploy/web --replicas=3')).toBe('deployment.apps/web scaled\n');
    await k.ok(['wait', 'deploy/web', '--for=jsonpath={.status.readyReplicas}=3', '--timeout=60s']);
    expect(await k.fails('scale deploy/web --replicas=1 --current-replicas=9')).toContain(
      'Expected replicas to be 9, was 3',
    );
    await k.ok('scale deploy/web --replicas=0');
    await k.ok('wait pod -l app=web --for=delete --timeout=60s');
    expect(await k.ok('get pods -o name')).toBe('');
  });

  it('acts as someone else: the server says who asks', async () => {
    const k = await session.inNamespace();
    const who = await k.ok('auth whoami --as=jane --as-group=devs -o jsonpath={.status.userInfo}');
    expect(JSON.parse(who)).toMatchObject({ username: 'jane', groups: ['devs', 'system:authenticated'] });
    expect(await k.ok('create cm c --from-literal=k=v --as=system:serviceaccount:default:robot')).toBe(
      'configmap/c created\n',
    );
  });
}
