import { expect, it } from 'vitest';
import { deployment, job, pod } from './objects.ts';
import { eventuallyOk, type Session } from './session.ts';

export function defineLogsAndEvents(session: Session): void {
  it('prints the log of a pod, of a deployment and of every pod with a label', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 2));
    await k.ok('rollout status deploy/web --timeout=60s');
    const [first = ''] = (await k.ok('get pods -o name')).split('\n');
    const log = await k.ok(`logs ${first}`);
    expect(log).toMatch(/^Simulated output of container main in pod /);
    expect(log.trimEnd().split('\n').length).toBeGreaterThan(1);
    expect(await k.ok(`logs ${first} --tail=1`)).toBe(`${log.trimEnd().split('\n').at(-1)}\n`);
    expect(await k.ok('logs deploy/web')).toMatch(/^Simulated output of container main/);
    expect((await k.ok('logs -l app=web --prefix --tail=1')).match(/^\[pod\/web-\S+\/main\] /gm)).toHaveLength(2);
    expect(await k.ok(`logs ${first} --timestamps --tail=1`)).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
    expect(await k.fails(`logs ${first} -c none`)).toMatch(/container none is not valid for pod web-/);
    expect(await k.fails('logs none')).toBe(
      `error: error from server (NotFound): pods "none" not found in namespace "${k.namespace}"\n`,
    );
  });

  it('prints the log of a job that has completed', async () => {
    const k = await session.inNamespace();
    await k.apply(job('once'));
    await k.ok('wait --for=condition=Complete job/once --timeout=60s');
    expect(await k.ok('logs job/once')).toMatch(/^Simulated output of container main in pod /);
  });

  it('lists events, of everything and of one object', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web'), pod('one'));
    await eventuallyOk(
      k,
      'get events',
      /Normal +ScalingReplicaSet +deployment\/web +Scaled up replica set web-\w+ from 0 to 1/,
    );
    const own = await eventuallyOk(k, 'events --for=pod/one', /Started/);
    expect(own).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/m);
    expect(own).not.toContain('web');
    expect(await k.ok('get events --field-selector reason=Scheduled,involvedObject.name=one -o name')).toMatch(
      /^event\/one\.[0-9a-f]+\n$/,
    );
    expect(await k.ok('events --types=Warning')).toBe('');
    expect(await k.ok('get events.events.k8s.io -o name')).toContain('event.events.k8s.io/one.');
  });
}

export function defineNodes(session: Session): void {
  // Other tests need the first node: this one brings its own. Whoever runs beside it may find pods there.
  it('cordons, drains, uncordons and taints a node', async () => {
    const k = await session.inNamespace();
    const name = session.unique('spare');
    await k.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
    expect(await k.ok(`cordon ${name}`)).toBe(`node/${name} cordoned\n`);
    expect(await k.ok(`get node ${name}`)).toMatch(/SchedulingDisabled/);
    expect(await k.ok(`cordon ${name}`)).toBe(`node/${name} already cordoned\n`);
    expect(await k.ok(`uncordon ${name}`)).toBe(`node/${name} uncordoned\n`);
    const bound = pod('bound');
    await k.apply({ ...bound, spec: { ...bound.spec, nodeName: name } });
    expect(await k.fails(`drain ${name} --ignore-daemonsets`)).toContain(
      'cannot delete Pods that declare no controller',
    );
    expect(await k.ok(`drain ${name} --force --ignore-daemonsets --timeout=60s`)).toMatch(
      new RegExp(`evicting pod ${k.namespace}/bound|node/${name} drained`),
    );
    expect(await k.fails('get pod bound')).toContain('NotFound');
    expect(await k.ok(`taint node ${name} only=me:NoSchedule`)).toBe(`node/${name} tainted\n`);
    expect(await k.ok(`describe node ${name}`)).toMatch(/^Taints: +.*only=me:NoSchedule/m);
    expect(await k.ok(`delete node ${name}`)).toBe(`node "${name}" deleted\n`);
  });
}
