import { expect, it } from 'vitest';
import { configMap, deployment, job, pod } from './objects.ts';
import { eventuallyOk, type Session } from './session.ts';

export function defineDescribing(session: Session): void {
  it('describes a pod with its containers, conditions and events', async () => {
    const k = await session.inNamespace();
    await k.apply(pod('one'));
    await k.ok('wait --for=condition=Ready pod/one --timeout=60s');
    const text = await eventuallyOk(k, 'describe pod one', /Started +\d+s .*kubelet/);
    expect(text).toMatch(/^Name: +one$/m);
    expect(text).toMatch(/^Node: +supercargo-node-1\/172\./m);
    expect(text).toMatch(/^ {4}Image: +nginx:1\.29$/m);
    expect(text).toMatch(/^ {6}MODE: +test$/m);
    expect(text).toMatch(/^ {2}Ready +True *$/m);
    expect(text).toMatch(/^QoS Class: +BestEffort$/m);
    expect(text).toMatch(
      /Normal +Scheduled +\d+s .*default-scheduler +Successfully assigned e2e-\d+\/one to supercargo-node-1/,
    );
  });

  it('describes a deployment with its replica set', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 2));
    await k.ok('rollout status deploy/web --timeout=60s');
    const text = await k.ok('describe deploy web');
    expect(text).toMatch(/^Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable$/m);
    expect(text).toMatch(/^ {2}Available +True +MinimumReplicasAvailable$/m);
    expect(text).toMatch(/^NewReplicaSet: +web-\w+ \(2\/2 replicas created\)$/m);
    expect(text).toMatch(/ScalingReplicaSet .*deployment-controller +Scaled up replica set web-\w+ from 0 to 2/);
    expect(await k.ok('describe rs')).toMatch(/^Controlled By: +Deployment\/web$/m);
  });

  it('describes a job that has completed', async () => {
    const k = await session.inNamespace();
    await k.apply(job('once'));
    await k.ok('wait --for=condition=Complete job/once --timeout=60s');
    const text = await k.ok('describe job once');
    expect(text).toMatch(/^Pods Statuses: +0 Active \(0 Ready\) \/ 1 Succeeded \/ 0 Failed$/m);
    expect(text).toMatch(/SuccessfulCreate .*job-controller +Created pod: once-\w+/);
    expect(await k.ok('get job once')).toMatch(/\nonce +Complete +1\/1 +\d+s +\d+s\n$/);
  });

  it('describes a service with the addresses behind it', async () => {
    const k = await session.inNamespace();
    const spec = { selector: { app: 'one' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
    await k.apply(pod('one'), { apiVersion: 'v1', kind: 'Service', metadata: { name: 'front' }, spec });
    const text = await eventuallyOk(k, 'describe svc front', /^Endpoints: +10\.244\.\d+\.\d+:8080$/m);
    expect(text).toMatch(/^Type: +ClusterIP$/m);
    expect(text).toMatch(/^IP: +10\.96\.\d+\.\d+$/m);
    expect(text).toMatch(/^Port: +http +80\/TCP$/m);
    expect(await k.ok('get endpointslices')).toMatch(/\nfront-\w+ +IPv4 +8080 +10\.244\./);
  });

  it('describes a config map, a secret without its values, a namespace with its quota and a node', async () => {
    const k = await session.inNamespace({ team: 'blue' });
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small' },
      spec: { hard: { pods: '5' } },
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hush' } };
    await k.apply(configMap('c', { 'app.conf': 'a=1\nb=2' }), secret, quota);
    expect(await k.ok('describe cm c')).toMatch(/^app\.conf:\n----\na=1\nb=2$/m);
    const described = await k.ok('describe secret s');
    expect(described).toMatch(/^Type: +Opaque$/m);
    expect(described).toMatch(/^password: +4 bytes$/m);
    expect(described).not.toContain('hush');
    const namespace = await k.ok(`describe ns ${k.namespace}`);
    expect(namespace).toMatch(/team=blue$/m);
    expect(namespace).toMatch(/^ *Name: +small$/m);
    const node = await session.kubectl.ok('describe node supercargo-node-1');
    expect(node).toMatch(/^ {2}Ready +True .* KubeletReady /m);
    expect(node).toMatch(/^Non-terminated Pods: +\(\d+ in total\)$/m);
  });

  it('describes what controls access', async () => {
    const k = await session.inNamespace();
    await k.ok('create role reader --verb=get,list --resource=pods');
    await k.ok('create rolebinding readers --role=reader --serviceaccount=default:robot');
    expect(await k.ok('describe role reader')).toMatch(/^ {2}pods +\[\] +\[\] +\[get list\]$/m);
    expect(await k.ok('describe rolebinding readers')).toMatch(/^ {2}ServiceAccount +robot +default$/m);
  });
}
