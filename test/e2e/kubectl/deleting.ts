import { expect, it } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { configMap, deployment, job, pod } from './objects.ts';
import { eventuallyOk, type Session } from './session.ts';

export function defineDeleting(session: Session): void {
  it('deletes by name, by label, by file and all', async () => {
    const k = await session.inNamespace();
    const labels = { app: 'x' };
    await k.apply(configMap('a'), configMap('b', {}, { labels }), configMap('c', {}, { labels }), configMap('d'));
    expect(await k.ok('delete cm a')).toBe(`configmap "a" deleted from ${k.namespace} namespace\n`);
    expect(await k.ok('delete cm -l app=x')).toMatch(/^configmap "b" deleted.*\nconfigmap "c" deleted.*\n$/);
    expect(await k.ok('delete -f - --dry-run=server', { input: configMap('d') })).toContain('(server dry run)');
    expect(await k.ok('delete -f -', { input: configMap('d') })).toContain('configmap "d" deleted');
    expect(await k.fails('delete cm d')).toBe('Error from server (NotFound): configmaps "d" not found\n');
    expect(await k.ok('delete cm d --ignore-not-found')).toBe('');
    await k.apply(configMap('e'), pod('p'));
    expect(await k.ok('delete pods,cm --all --grace-period=0 --force')).toContain('pod "p" force deleted');
    expect(await k.ok('get pods -o name')).toBe('');
  });

  it('waits until a pod has ended, within its grace period', async () => {
    const k = await session.inNamespace();
    await k.apply(pod('one'));
    await k.ok('wait --for=condition=Ready pod/one --timeout=60s');
    expect(await k.ok('delete pod one --wait --timeout=60s')).toContain('pod "one" deleted');
    expect(await k.fails('get pod one')).toContain('NotFound');
    await k.apply(pod('two'));
    await k.ok('delete pod two --grace-period=1 --now=false --wait=false');
    await k.ok('wait --for=delete pod/two --timeout=60s');
  });

  it('takes dependents along in the background and in the foreground, or leaves them', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('back'), deployment('fore'), deployment('left'));
    for (const name of ['back', 'fore', 'left']) await k.ok(`rollout status deploy/${name} --timeout=60s`);
    await k.ok('delete deploy fore --cascade=foreground --timeout=60s');
    expect(await k.ok('get rs,pods -l app=fore -o name')).toBe('');
    await k.ok('delete deploy back');
    await eventually(async () => expect(await k.ok('get rs,pods -l app=back -o name')).toBe(''), { intervalMs: 200 });
    await k.ok('delete deploy left --cascade=orphan');
    const left = await k.json('get rs -l app=left');
    expect(left.items).toHaveLength(1);
    expect(left.items[0]?.metadata['ownerReferences']).toBeUndefined();
    expect(await k.ok('get pods -l app=left -o name')).toMatch(/^pod\/left-/);
  });

  it('keeps an object with a finalizer until the finalizer goes', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('held', {}, { finalizers: ['example.test/hold'] }));
    await k.ok('delete cm held --wait=false');
    expect(await k.fails('wait --for=delete cm/held --timeout=300ms')).toContain(
      'timed out waiting for the condition on configmaps/held',
    );
    expect((await k.json('get cm held')).metadata['deletionTimestamp']).toBeTypeOf('string');
    await k.ok(['patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await k.ok('wait --for=delete cm/held --timeout=60s');
  });

  it('empties and ends a namespace', async () => {
    const k = await session.inNamespace();
    await k.apply(configMap('a'), deployment('web'));
    await k.ok('rollout status deploy/web --timeout=60s');
    expect(await session.kubectl.ok(`delete ns ${k.namespace} --timeout=60s`)).toBe(
      `namespace "${k.namespace}" deleted\n`,
    );
    expect(await session.kubectl.fails(`get ns ${k.namespace}`)).toContain('NotFound');
    expect(await k.ok('get cm,pods -o name')).toBe('');
    expect(await k.fails('create cm b --from-literal=k=v')).toContain(`namespaces "${k.namespace}" not found`);
  });

  it('waits for a condition, a value and a creation, and says when it waited in vain', async () => {
    const k = await session.inNamespace();
    const creation = k.ok('wait --for=create job/later --timeout=60s');
    await k.apply(job('later'));
    expect(await creation).toBe('job.batch/later condition met\n');
    expect(await k.ok('wait --for=condition=complete job/later --timeout=60s')).toBe('job.batch/later condition met\n');
    expect(await k.ok(['wait', 'job/later', '--for=jsonpath={.status.succeeded}=1', '--timeout=60s'])).toBe(
      'job.batch/later condition met\n',
    );
    expect(await k.fails('wait --for=condition=Failed job/later --timeout=300ms')).toBe(
      'error: timed out waiting for the condition on jobs/later\n',
    );
    await eventuallyOk(k, 'get pods', /\nlater-\w+ +0\/1 +Completed +0 /);
  });
}
