import { expect, it } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { configMap, deployment, pod } from './objects.ts';
import { eventuallyOk, rowsOf, type Session } from './session.ts';

export function defineReading(session: Session): void {
  it('prints pods as a table, wide and with labels', async () => {
    const k = await session.inNamespace();
    await k.apply(pod('one', { app: 'one', tier: 'front' }));
    await k.ok('wait --for=condition=Ready pod/one --timeout=60s');
    expect(await k.ok('get pods')).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\none +1\/1 +Running +0 +\d+s\n$/);
    const [row] = rowsOf(await k.ok('get pods -o wide'));
    expect(row?.slice(0, 4)).toEqual(['one', '1/1', 'Running', '0']);
    expect(row?.slice(5)).toEqual([expect.stringMatching(/^10\.244\./), 'supercargo-node-1', '<none>', '<none>']);
    expect(await k.ok('get pods --show-labels')).toMatch(/LABELS\none .* app=one,tier=front\n$/);
    expect(await k.ok('get pods -L tier')).toMatch(/TIER\none .* front\n$/);
    expect(await k.ok('get pods --no-headers')).toMatch(/^one /);
    expect(await k.ok('get pod/one -o name')).toBe('pod/one\n');
  });

  it('prints everything of a namespace with "get all"', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 2));
    await k.ok('rollout status deploy/web --timeout=60s');
    const all = await k.ok('get all');
    expect(all.match(/^pod\/web-\w+-\w+ +1\/1 +Running/gm)).toHaveLength(2);
    expect(all).toMatch(/^deployment\.apps\/web +2\/2 +2 +2 +\d+s$/m);
    expect(all).toMatch(/^replicaset\.apps\/web-\w+ +2 +2 +2 +\d+s$/m);
  });

  it('prints objects as JSON, YAML, JSONPath, Go templates and columns of one’s own', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('a', { k: 'one' }), configMap('b', { k: 'two' }));
    const list = await k.json('get cm a b');
    expect(list).toMatchObject({ kind: 'List', items: [{ kind: 'ConfigMap' }, { metadata: { name: 'b' } }] });
    const yaml = await k.ok('get cm a -o yaml');
    expect(yaml).toMatch(/^apiVersion: v1\ndata:\n {2}k: one\nkind: ConfigMap\nmetadata:\n/);
    expect(yaml).not.toContain('managedFields');
    expect(await k.ok('get cm a -o yaml --show-managed-fields')).toContain('manager: kubectl-client-side-apply');
    expect(await k.ok('get cm a b -o jsonpath={.items[*].data.k}')).toBe('one two');
    expect(await k.ok(['get', 'cm', 'a', '-o', 'go-template={{.data.k}}'])).toBe('one');
    expect(await k.ok('get cm a b -o custom-columns=NAME:.metadata.name,VALUE:.data.k')).toBe(
      'NAME   VALUE\na      one\nb      two\n',
    );
  });

  it('selects by label and by field', async () => {
    const k = await session.inNamespace();
    const labelled = (name: string, labels: object) => configMap(name, {}, { labels });
    await k.apply(labelled('a', { tier: 'front', x: '1' }), labelled('b', { tier: 'back' }), labelled('c', {}));
    const names = (args: string) => k.ok(`get cm -o name ${args}`);
    expect(await names('-l tier=front')).toBe('configmap/a\n');
    expect(await k.ok(['get', 'cm', '-o', 'name', '-l', 'tier in (front, back),!x'])).toBe('configmap/b\n');
    expect(await names('--field-selector metadata.name=c')).toBe('configmap/c\n');
    expect(await k.fails('get cm --field-selector data.k=1')).toBe(
      'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector "data.k=1": "data.k" is not a known field selector: only "metadata.name", "metadata.namespace"\n',
    );
    await k.apply(pod('one'), pod('two'));
    await k.ok('wait --for=condition=Ready pod --all --timeout=60s');
    const onNode = 'get pods -o name --field-selector spec.nodeName=supercargo-node-1,status.phase=Running';
    expect(await k.ok(onNode)).toBe('pod/one\npod/two\n');
    expect(await k.run('get pods --field-selector status.phase=Failed')).toMatchObject({
      exitCode: 0,
      stderr: `No resources found in ${k.namespace} namespace.\n`,
    });
  });

  it('sorts and lists across namespaces, in pages when asked', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('a', { n: '3' }), configMap('b', { n: '1' }), configMap('c', { n: '2' }));
    const own = 'get cm --field-selector metadata.name!=kube-root-ca.crt -o name';
    expect(await k.ok(`${own} --sort-by={.data.n}`)).toBe('configmap/b\nconfigmap/c\nconfigmap/a\n');
    expect(await k.ok(`${own} --chunk-size=1`)).toBe('configmap/a\nconfigmap/b\nconfigmap/c\n');
    const everywhere = await session.kubectl.ok('get cm -A --no-headers');
    expect(everywhere).toMatch(new RegExp(`^${k.namespace} +a +1 +\\d+s$`, 'm'));
    expect(everywhere).toMatch(/^kube-system +kube-root-ca\.crt +1 /m);
  });

  it('follows changes with --watch and --watch-only until it is ended', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('before'));
    const own = '--field-selector metadata.name!=kube-root-ca.crt --no-headers';
    const watch = k.start(`get cm -w ${own}`);
    const only = k.start(`get cm --watch-only --output-watch-events -o json ${own}`);
    try {
      await eventually(() => expect(watch.stdout()).toMatch(/^before /));
      // A watch that has not begun yet misses a change: change until it is seen.
      await eventually(
        async () => {
          await k.ok(['label', 'cm', 'before', `n=${session.unique('n')}`, '--overwrite']);
          expect(only.stdout()).toContain('"type":"MODIFIED"');
        },
        { intervalMs: 100 },
      );
      expect(only.stdout()).not.toContain('"type":"ADDED"');
      await k.ok('delete cm before');
      await eventually(() => expect(only.stdout()).toContain('"type":"DELETED"'));
      await eventually(() => expect(watch.stdout().match(/^before /gm)?.length).toBeGreaterThanOrEqual(3));
    } finally {
      await watch.end();
      await only.end();
    }
  });

  it('says what does not exist', async () => {
    const k = await session.inNamespace();
    expect(await k.fails('get pod none')).toBe('Error from server (NotFound): pods "none" not found\n');
    expect(await k.fails('get nothings')).toBe('error: the server doesn\'t have a resource type "nothings"\n');
    expect(await k.ok('get pod none --ignore-not-found')).toBe('');
  });

  it('answers raw paths', async () => {
    const k = session.kubectl;
    expect(await k.ok('get --raw /readyz')).toBe('ok');
    expect(JSON.parse(await k.ok('get --raw /version'))).toMatchObject({ major: '1', minor: '36' });
    expect(JSON.parse(await k.ok('get --raw /api/v1/namespaces/default'))).toMatchObject({ kind: 'Namespace' });
    expect(await k.fails('get --raw /apis/none')).toBe(
      'Error from server (NotFound): the server could not find the requested resource\n',
    );
  });

  it('prints the own columns of the built-in kinds', async () => {
    const k = await session.inNamespace();
    expect(await session.kubectl.ok('get nodes -o wide')).toMatch(
      /^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP .*\nsupercargo-node-1 +Ready +<none> +\d+\w* +v1\.36\.\d+ /,
    );
    expect(await session.kubectl.ok('get ns default')).toMatch(/^NAME +STATUS +AGE\ndefault +Active +\w+\n$/);
    await eventuallyOk(k, 'get sa', /^NAME +AGE\ndefault +\d+s\n$/);
    expect(await session.kubectl.ok('get svc kubernetes')).toMatch(
      /\nkubernetes +ClusterIP +10\.96\.0\.1 +<none> +443\/TCP /,
    );
  });
}
