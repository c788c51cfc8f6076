import { expect, it } from 'vitest';
import { deployment } from './objects.ts';
import { eventuallyOk, type Session } from './session.ts';

export function defineRollouts(session: Session): void {
  it('rolls out, keeps the history and goes back', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 2, 'nginx:1.28'));
    expect(await k.ok('rollout status deploy/web --timeout=60s')).toMatch(
      /deployment "web" successfully rolled out\n$/,
    );
    await k.ok(['annotate', 'deploy', 'web', 'kubernetes.io/change-cause=first']);
    await k.ok('set image deploy/web main=nginx:1.29');
    await k.ok('rollout status deploy/web --timeout=60s');
    expect(await k.ok('rollout history deploy/web')).toMatch(/\nREVISION +CHANGE-CAUSE\n1 +first\n2 +/);
    expect(await k.ok('rollout history deploy/web --revision=1')).toMatch(/Image:\s+nginx:1\.28/);
    expect(await k.ok('get rs -o wide')).toMatch(/nginx:1\.28/);
    expect(await k.ok('rollout undo deploy/web')).toBe('deployment.apps/web rolled back\n');
    await k.ok('rollout status deploy/web --timeout=60s');
    expect(await k.ok('get deploy web -o jsonpath={..image}')).toBe('nginx:1.28');
    await eventuallyOk(k, 'rollout history deploy/web', /\n2 .*\n3 +first\n/);
    expect(await k.fails('rollout undo deploy/web --to-revision=9')).toMatch(
      /^error: unable to find specified revision 9 in history$/m,
    );
    expect(await k.run('rollout undo deploy/web --to-revision=3')).toMatchObject({ exitCode: 0 });
  });

  it('restarts every pod', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 1));
    await k.ok('rollout status deploy/web --timeout=60s');
    const before = await k.ok('get pods -o name');
    expect(await k.ok('rollout restart deploy/web')).toBe('deployment.apps/web restarted\n');
    await k.ok('rollout status deploy/web --timeout=60s');
    await eventuallyOk(k, 'get pods -o name', /^pod\/web-\w+-\w+\n$/);
    expect(await k.ok('get pods -o name')).not.toBe(before);
  });

  it('holds a paused rollout until it is resumed', async () => {
    const k = await session.inNamespace();
    await k.apply(deployment('web', 1));
    await k.ok('rollout status deploy/web --timeout=60s');
    expect(await k.ok('rollout pause deploy/web')).toBe('deployment.apps/web paused\n');
    await k.ok('set image deploy/web main=nginx:1.30');
    await k.ok(['wait', 'deploy/web', '--for=jsonpath={.status.observedGeneration}=3', '--timeout=60s']);
    expect(await k.ok('get rs -o name')).toMatch(/^replicaset\.apps\/web-\w+\n$/);
    expect(await k.fails('rollout restart deploy/web')).toContain("can't restart paused deployment");
    expect(await k.ok('rollout resume deploy/web')).toBe('deployment.apps/web resumed\n');
    await k.ok('rollout status deploy/web --timeout=60s');
    expect(await k.ok('get pods -o jsonpath={..image}')).toContain('nginx:1.30');
  });

  it('rolls out stateful sets in order and daemon sets on every node', async () => {
    const k = await session.inNamespace();
    const { template } = deployment('db').spec;
    const selector = { matchLabels: { app: 'db' } };
    await k.apply(
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db' },
        spec: { serviceName: 'db', replicas: 2, selector, template },
      },
      { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec: { selector, template } },
    );
    expect(await k.ok('rollout status sts/db --timeout=60s')).toMatch(
      /partitioned roll out complete: 2 new pods have been updated\.\.\.\n$|statefulset rolling update complete 2 pods at revision db-\w+\.\.\.\n$/,
    );
    expect(await k.ok('rollout status ds/agent --timeout=60s')).toMatch(
      /daemon set "agent" successfully rolled out\n$/,
    );
    const pods = await k.ok('get pods -o name');
    expect(pods).toMatch(/^pod\/agent-\w+\npod\/db-0\npod\/db-1\n$/);
    await k.ok('set image sts/db main=nginx:1.31');
    await k.ok('rollout status sts/db --timeout=60s');
    expect(await k.ok('rollout history sts/db')).toMatch(/\n1 +<none>\n2 +<none>\n/);
    expect(await k.ok('get pod db-1 -o jsonpath={.spec.containers[0].image}')).toBe('nginx:1.31');
    expect(await k.ok('get sts,ds')).toMatch(
      /statefulset\.apps\/db +2\/2 [\s\S]*daemonset\.apps\/agent +1 +1 +1 +1 +1 +<none> /,
    );
  });
}
