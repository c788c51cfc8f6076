/** A release of the chart on a real node: its pods, their webhooks, copies, Jobs, reports and commits, and its end. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/image/index.ts';
import type { RegistryClient } from '../../src/registry/index.ts';
import type { DockerRegistry } from '../support/docker-registry.ts';
import { findProgram } from '../support/docker-registry.ts';
import { createBareRepository, type GitServer, hasGit, plainGit, startGitServer } from '../support/git-server.ts';
import { type Body, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { helmPath, kubectlPath, runTool } from '../support/kubectl.ts';
import { buildOwnImage, plainRegistryClient, pushOwnImage } from '../support/own-image.ts';
import { findPodProcess } from '../support/pod-process.ts';
import { pushBusybox, type RealNode, startRealNode, whyNoNode } from '../support/real-node.ts';
import { eventually } from '../support/wait.ts';
import { audited, enforced, jobPolicy, workload } from './release-objects.ts';

const chart = fileURLToPath(new URL('../../charts/supercargo', import.meta.url));
const [kubectl, helm] = await Promise.all([kubectlPath(), helmPath()]);
const skopeo = findProgram('skopeo');
const reason = await whyNoNode({ kubectl, helm, git: hasGit(), skopeo });
const slow = { timeoutMs: 60_000, intervalMs: 250 };

interface PodStatus {
  readonly containerStatuses: readonly { readonly restartCount: number }[];
}

describe.skipIf(reason !== undefined)('a release on a real node', () => {
  let node: RealNode;
  let api: HttpClient;
  let registry: RegistryClient;
  let source: DockerRegistry;
  let backup: DockerRegistry;
  let git: GitServer;

  const run = async (tool: string | undefined, args: readonly string[], input?: object) => {
    const place = ['--kubeconfig', node.cluster.kubeconfigPath, ...args];
    return runTool(tool!, place, input && JSON.stringify(input), 200_000);
  };
  const k = async (args: readonly string[], input?: object) => {
    const { exitCode, stdout, stderr } = await run(kubectl, args, input);
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const create = (object: object) => k(['create', '-f', '-'], object);
  const get = async (place: string) => {
    const { status, body, text } = await api.get(place);
    if (status !== 200) throw new Error(`${place}: ${text}`);
    return body;
  };
  const values = () => ({
    image: { registry: node.registry.host, repository: 'supercargo/supercargo', tag: 'test' },
    mirror: { registry: `${backup.host}/copies` },
    config: {
      mirror: { plainHttpRegistries: [source.host, backup.host] },
      registries: [node.registry, source, backup].map(({ host }) => ({ host, plainHTTP: true })),
    },
  });
  const release = async (command: string, ...more: readonly string[]) => {
    const args = [command, 'sc', chart, '--namespace', 'cargo', '--values', '-', ...more];
    const { exitCode, stderr } = await run(helm, args, values());
    expect(exitCode, stderr).toBe(0);
  };
  const rolledOut = async () => {
    for (const part of ['policies', 'mirror', 'automation'])
      await k(['rollout', 'status', `deployment/sc-${part}`, '-n', 'cargo', '--timeout=180s']);
  };
  const leaderOf = async (feature: string) => {
    const { spec } = await get(`/apis/coordination.k8s.io/v1/namespaces/cargo/leases/sc-${feature}`);
    return `${spec['holderIdentity']}`.split('_')[0]!;
  };
  const jobsOf = async (namespace: string) => (await get(`/apis/batch/v1/namespaces/${namespace}/jobs`)).items;
  const isComplete = ({ status }: Body) =>
    ((status as { conditions?: { type: string; status: string }[] }).conditions ?? []).some(
      (one) => one.type === 'Complete' && one.status === 'True',
    );
  const webhooks = async () =>
    (
      await Promise.all(
        ['validating', 'mutating'].map((kind) =>
          get(`/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`),
        ),
      )
    ).flatMap(({ items }) => items.map(({ metadata }) => metadata.name));

  beforeAll(async () => {
    const [started, image] = await Promise.all([startRealNode(), buildOwnImage()]);
    node = started;
    registry = plainRegistryClient();
    api = createHttpClient(node.cluster);
    [source, backup] = [await node.startRegistry(), await node.startRegistry()];
    git = await startGitServer({ address: node.namespace.hostAddress });
    await Promise.all([
      pushOwnImage(registry, `${node.registry.host}/supercargo/supercargo:test`, image),
      pushBusybox(`${source.host}/team/app:1`, 'app'),
      pushBusybox(`${node.registry.host}/team/web:1.0.0`, 'web'),
    ]);
    const again = await buildOwnImage();
    expect(digestOf(again.index.bytes)).toBe(digestOf(image.index.bytes));
    const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    for (const [name, labels] of [
      ['cargo', restricted],
      ['shop', {}],
      ['load', {}],
      ['copied', { 'image-clone-controller': 'enabled' }],
    ] as const)
      await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  });
  afterAll(async () => {
    await api?.close();
    await registry?.close();
    await git?.close();
    await node?.stop();
  });

  it('has an image that skopeo reads, which runs as nobody', () => {
    const name = `docker://${node.registry.host}/supercargo/supercargo:test`;
    const { stdout, stderr } = spawnSync(skopeo!, ['inspect', '--tls-verify=false', '--config', name]);
    expect(JSON.parse(`${stdout}`), `${stderr}`).toMatchObject({
      config: { User: '65532:65532', Entrypoint: ['/usr/bin/supercargo'] },
    });
  });

  it('is ready under restricted pod security, with a leader of two replicas', async () => {
    await release('install');
    await rolledOut();
    const pods = (await get('/api/v1/namespaces/cargo/pods')).items;
    expect(pods).toHaveLength(6);
    const names = pods.map(({ metadata }) => metadata.name);
    for (const feature of ['admission', 'generate', 'report', 'mirror', 'detect', 'create'])
      await eventually(async () => expect(names).toContain(await leaderOf(feature)), slow);
  });

  it('runs as nobody, without capabilities, on a file system that it cannot write', async () => {
    const pods = (await get('/api/v1/namespaces/cargo/pods')).items;
    for (const pod of pods) {
      const { status, root } = processOf(pod)!;
      const none = '0000000000000000';
      expect(status).toMatchObject({
        Uid: Array(4).fill('65532').join('\t'),
        Gid: Array(4).fill('65532').join('\t'),
        ...{ CapInh: none, CapPrm: none, CapEff: none, CapBnd: none, CapAmb: none },
        NoNewPrivs: '1',
        Seccomp: '2',
      });
      // Not even root of this machine, whom no permission stops.
      for (const folder of ['', 'etc', 'opt/supercargo', 'usr/bin'])
        expect(() => writeFileSync(path.join(root, folder, 'written'), '')).toThrow('EROFS');
    }
    const write = (file: string) => {
      const script = `require('node:fs').writeFileSync('${file}', '')`;
      return run(kubectl, ['exec', pods[0]!.metadata.name, '-n', 'cargo', '--', '/usr/bin/node', '-e', script]);
    };
    expect(await write('/written')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EROFS') });
    expect(await write('/tmp/written')).toMatchObject({ exitCode: 0 });
  });

  it('refuses a pod, through the Service', async () => {
    await create(enforced);
    await k(['wait', '--for=condition=Ready', 'clusterpolicy/named-owner', '--timeout=60s']);
    await eventually(async () => {
      const { exitCode, stderr } = await run(
        kubectl,
        ['create', '-f', '-'],
        workload('Pod', 'refused', node.busybox, {}),
      );
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining('the label owner is missing'),
      });
    }, slow);
  });

  it('checks itself in its pods, with the permissions that they have', async () => {
    const check = async (part: string) => {
      const [pod] = await podsOf(part);
      const args = ['exec', pod!.metadata.name, '-n', 'cargo', '--', 'supercargo', 'check', '-o', 'json'];
      const { exitCode, stdout, stderr } = await run(kubectl, args);
      const { checks } = JSON.parse(stdout || '{"checks":[]}') as { checks: { check: string; result: string }[] };
      expect({ exitCode, stderr, failed: checks.filter(({ result }) => result === 'fail') }).toEqual({
        exitCode: 0,
        stderr: '',
        failed: [],
      });
      return checks.filter(({ result }) => result === 'pass').map((line) => line.check);
    };
    const shared = ['api-server', 'definitions', 'kyverno', 'leases'];
    expect(await check('policies')).toEqual(
      expect.arrayContaining([...shared, 'permissions sc-policies', 'webhook-call', 'certificate sc-policies-webhook']),
    );
    expect(await check('mirror')).toEqual(
      expect.arrayContaining([
        'permissions sc-mirror',
        'webhook-call',
        'certificate sc-mirror-webhook',
        'backup-registry',
      ]),
    );
    expect(await check('automation')).toEqual(expect.arrayContaining(['permissions sc-automation', 'leases']));
  });

  it('makes one Job for an image, which runs to its end', async () => {
    await k(['apply', '-f', path.join(chart, '../../examples/unique-job-per-image/rbac.yaml')]);
    await create(jobPolicy(node.busybox));
    await k(['wait', '--for=condition=Ready', 'clusterpolicy/generate-unique-job-per-image', '--timeout=60s']);
    for (const name of ['one', 'two']) await create(workload('Pod', name, node.busybox, { namespace: 'shop' }));
    await eventually(async () => {
      const jobs = await jobsOf('shop');
      expect(jobs.map(isComplete)).toEqual([true]);
    }, slow);
    await k(['wait', '--for=condition=Ready', 'pod/one', 'pod/two', '-n', 'shop', '--timeout=90s']);
  });

  it('reports what it found', async () => {
    await create(audited);
    await eventually(async () => {
      const { items } = await get('/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports');
      const report = items.find(({ metadata }) => metadata.name.includes('named-team'));
      // Two pods and the Job.
      expect(report?.['summary']).toMatchObject({ fail: 3 });
    }, slow);
  });

  it('copies an image, which the node pulls from the copy while its source is gone', async () => {
    const image = `${source.host}/team/app:1`;
    await create(workload('Deployment', 'app', image, { namespace: 'copied', replicas: 0 }));
    await eventually(async () => {
      const { spec } = await get('/apis/apps/v1/namespaces/copied/deployments/app');
      expect(JSON.stringify(spec)).toContain(`"image":"${backup.host}/copies/${image.replace(':', '_')}`);
    }, slow);
    await source.stop();
    await k(['scale', 'deployment/app', '-n', 'copied', '--replicas=1']);
    await k(['rollout', 'status', 'deployment/app', '-n', 'copied', '--timeout=90s']);
    const [pod] = (await get('/api/v1/namespaces/copied/pods')).items;
    expect(JSON.stringify(pod!['status'])).toContain(`"imageID":"${backup.host}/copies/`);
  });

  it('commits an image that is pushed', async () => {
    createBareRepository(path.join(git.root, 'deploy'));
    await create({
      apiVersion: 'automation.gitops.io/v1beta1',
      kind: 'ResourceTemplate',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        template: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  image: {{ .FullImageName }}\n',
        gitRepository: { url: `${git.url}/deploy`, branch: 'main', path: 'apps' },
        duplicateCheck: 'exact',
      },
    });
    await create({
      apiVersion: 'automation.gitops.io/v1beta1',
      kind: 'ImageResourcePolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        ociRepository: { registry: node.registry.host, imagePattern: 'team/*:*', insecure: true },
        policy: { semver: { range: '>=1.0.0' } },
        templateRef: { name: 'web' },
        interval: '10s',
      },
    });
    const committed = () => plainGit(path.join(git.root, 'deploy'), 'grep', '-h', 'image:', 'main', '--', 'apps');
    await eventually(() => expect(committed()).toContain('team/web:1.0.0'), slow);
    await pushBusybox(`${node.registry.host}/team/web:1.1.0`, 'newer web');
    await eventually(() => expect(committed()).toContain('team/web:1.1.0'), slow);
  });

  /**
   * Creates pods all the time until it is stopped, each until it is there; answers what was not created at once, with the
   * reason. In between it creates pods that break a policy: none may ever be let through while we are installed.
   */
  function createPods({ isInstalled = true } = {}) {
    const failed: { readonly atMs: number; readonly reason: string }[] = [];
    const admitted: string[] = [];
    let [created, isStopped] = [0, false];
    const load = '/api/v1/namespaces/load/pods';
    // Several at once, so that the API server has connections to every replica.
    const one = async (client: number) => {
      for (let i = 0; !isStopped; ) {
        const names = [`load-${client}-${i}`, `bad-${client}-${i}`] as const;
        const [good, bad] = [{ namespace: 'load', isGated: true }, { isGated: true }];
        const { status, text } = await api.post(load, workload('Pod', names[0], node.busybox, good));
        if (status === 201) [created, i] = [created + 1, i + 1];
        else failed.push({ atMs: Date.now(), reason: text });
        const broken = workload('Pod', names[1], node.busybox, bad);
        const answer = await api.post('/api/v1/namespaces/default/pods', broken);
        if (answer.status === 201 && isInstalled) admitted.push(names[1]);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const ended = Promise.all([0, 1, 2, 3].map(one));
    const count = () => created;
    const stop = async () => {
      isStopped = true;
      await ended;
      // The Job of their image has a pod, too.
      const stored = (await get(load)).items.filter(({ metadata: { name } }) => name.startsWith('load-'));
      expect(stored).toHaveLength(created);
      await k(['delete', 'pods', '--all', '-n', 'load', '--wait=false']);
      expect({ isEnough: created > 20, admitted }).toEqual({ isEnough: true, admitted: [] });
      return failed;
    };
    return { count, stop };
  }
  const podsOf = async (part: string) =>
    (await get(`/api/v1/namespaces/cargo/pods?labelSelector=app.kubernetes.io/component=${part}`)).items;
  const processOf = ({ metadata }: Body) => findPodProcess(metadata.uid!, 'run --config');
  /** Kills the program of a pod without a word, and waits until the kubelet has started it again. */
  const kill = async (pod: Body) => {
    const [before] = (pod['status'] as PodStatus).containerStatuses;
    process.kill(processOf(pod)!.pid, 'SIGKILL');
    await eventually(async () => {
      const { status } = await get(`/api/v1/namespaces/cargo/pods/${pod.metadata.name}`);
      const restartCount = before!.restartCount + 1;
      expect(status).toMatchObject({ containerStatuses: [{ restartCount, ready: true }] });
    }, slow);
  };

  it('is upgraded while a client creates pods, none of which fails', async () => {
    const { stop } = createPods();
    await release('upgrade', '--set', 'config.logLevel=debug');
    await rolledOut();
    expect(await stop()).toEqual([]);
    const config = await k(['get', 'configmap', 'sc-policies', '-n', 'cargo', '-o', 'yaml']);
    expect(config).toContain('logLevel: debug');
  });

  it('answers every request while its leader is deleted, and a program without webhooks killed', async () => {
    const { stop } = createPods();
    const leader = await leaderOf('admission');
    await k(['delete', 'pod', leader, '-n', 'cargo']);
    await kill((await podsOf('automation'))[0]!);
    await rolledOut();
    expect(await stop()).toEqual([]);
    expect(await leaderOf('admission')).not.toBe(leader);
  });

  // The API server calls a webhook once, at an endpoint that it has not yet been told is gone.
  it('refuses requests only for a moment when a program that answers them is killed, and lets none through', async () => {
    const { count, stop } = createPods();
    const [killed] = await podsOf('policies');
    await kill(killed!);
    const [readyMs, before] = [Date.now(), count()];
    await eventually(() => expect(count()).toBeGreaterThan(before + 100), slow);
    for (const { atMs, reason } of await stop()) {
      expect(reason).toMatch(/failed calling webhook .*(connection refused|connection reset by peer|EOF)/);
      expect(atMs).toBeLessThan(readyMs);
    }
  });

  it('loses nothing when the kubelet restarts and pods and leader are killed', async () => {
    await node.restartKubelet();
    const leader = await leaderOf('generate');
    await k(['delete', 'pod', leader, '-n', 'cargo', '--wait=false']);
    const image = `${node.registry.host}/test/busybox:other`;
    await pushBusybox(image, 'other');
    const pod = workload('Pod', 'three', image, { namespace: 'shop' });
    // With the last of its replicas a request may be refused, but never lost: it is tried again.
    await eventually(() => create(pod), slow);
    await eventually(async () => expect((await jobsOf('shop')).map(isComplete)).toEqual([true, true]), slow);
    const [killed] = await podsOf('mirror');
    await k(['delete', 'pod', killed!.metadata.name, '-n', 'cargo', '--force', '--grace-period=0']);
    await rolledOut();
    expect(await leaderOf('generate')).not.toBe(leader);
  });

  it('is uninstalled while a client creates pods; no webhook stays, definitions and policies do', async () => {
    const { stop } = createPods({ isInstalled: false });
    const { exitCode, stderr } = await run(helm, ['uninstall', 'sc', '--namespace', 'cargo', '--timeout', '120s']);
    expect(exitCode, `${stderr}\n${node.logs()}`).toBe(0);
    expect(await stop()).toEqual([]);
    expect(await webhooks()).toEqual([]);
    expect((await get('/apis/kyverno.io/v1/clusterpolicies')).items).toHaveLength(3);
    await create(workload('Pod', 'admitted', node.busybox, {}));
    await eventually(async () => expect((await get('/api/v1/namespaces/cargo/pods')).items).toEqual([]), slow);
  });

  it('finds everything when it is installed again', async () => {
    await release('install');
    await rolledOut();
    await eventually(async () => {
      const { stderr } = await run(kubectl, ['create', '-f', '-'], workload('Pod', 'refused', node.busybox, {}));
      expect(stderr).toContain('the label owner is missing');
    }, slow);
    await create(workload('Pod', 'four', node.busybox, { namespace: 'shop' }));
    await eventually(async () => {
      const { items } = await get('/apis/supercargo.dev/v1alpha1/mirroredimages');
      expect(items.map(({ status }) => (status as { phase?: string }).phase)).toEqual(['Copied']);
    }, slow);
    expect(await jobsOf('shop')).toHaveLength(2);
    expect(plainGit(path.join(git.root, 'deploy'), 'rev-list', '--count', 'main')).toBe('2');
  });
});
