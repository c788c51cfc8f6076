/** The command line of the built program: what it says, how it ends, what it leaves behind. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { freePorts } from '../support/child.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { endLeftOvers, launch, runProgram, startProgram, supercargo } from '../support/program.ts';
import { findOnPath } from '../support/search-path.ts';
import { missingOf } from '../support/skip.ts';
import { eventually } from '../support/wait.ts';
import { readTarget, useCluster } from './cluster.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-cli-'));
afterAll(() => {
  endLeftOvers();
  rmSync(folder, { recursive: true, force: true });
});

let counter = 0;
const freshPath = (name: string) => path.join(folder, `${++counter}-${name}`);
const writeFile = (name: string, text: string) => {
  const file = freshPath(name);
  writeFileSync(file, text);
  return file;
};

/** Runs a command that must be refused, and answers its one line without the program's name. */
async function refused(
  args: readonly string[],
  options: Parameters<typeof runProgram>[1] & { readonly code?: number } = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(args, options);
  const expected = { exitCode: options.code ?? 2, stdout: '', lines: 2 };
  expect({ exitCode, stdout, lines: stderr.split('\n').length }, stderr).toEqual(expected);
  expect(stderr).toMatch(/^supercargo: /);
  return stderr.trimEnd().slice('supercargo: '.length);
}

const bash = await findOnPath('bash');
missingOf('the test of a closed pipe', { bash });
const isRoot = process.getuid?.() === 0;
if (isRoot) process.stderr.write('the test of a folder that cannot be written is skipped: root can write to any\n');

const upJson = ['up', '--no-demo', '-o', 'json'] as const;

describe.concurrent('supercargo', { timeout: 180_000 }, () => {
  it('explains itself, and every command', async () => {
    const help = await runProgram(['--help']);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    for (const command of ['up', 'run', 'install', 'uninstall', 'kubectl'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    expect(help.stdout).toContain(
      'Exit codes: 0 done, 1 failed, 2 wrong usage or input, 5 the cluster cannot be reached',
    );
    const up = await runProgram(['up', '--help']);
    expect(up).toMatchObject({ exitCode: 0, stderr: '' });
    for (const option of ['--dir <dir>', '--port <port>', '--no-demo', '--log-level <level>'])
      expect(up.stdout).toContain(option);
    expect((await runProgram(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('says what is wrong with a command or an option in one line', async () => {
    expect(await refused(['frobnicate'])).toContain("unknown command 'frobnicate'");
    expect(await refused(['up', '--frobnicate'])).toContain("unknown option '--frobnicate'");
    expect(await refused(['up', '--prot', '1'])).toBe(
      "unknown option '--prot' (Did you mean --port?) (--help shows what is possible)",
    );
    expect(await refused(['explain', 'p.yaml'])).toBe('nothing to evaluate: name resources with -r');
    expect(await refused(['run'], { env: { LOG_LEVEL: 'loud' } })).toContain('LOG_LEVEL must be one of debug, info');
    expect(await refused(['up', 'extra'])).toContain("too many arguments for 'up'");
    expect(await refused(['up', '--port', '99999'])).toContain('a port is a whole number from 0 to 65535');
    expect(await refused(['up', '-o', 'xml'])).toContain('Allowed choices are text, json');
  });
});

it('every command that prints JSON prints YAML too', { timeout: 180_000 }, async () => {
  for (const command of ['report', 'apply', 'test', 'explain', 'scan', 'render', 'mirror', 'install']) {
    const { stdout } = await runProgram([command, '--help']);
    expect(stdout.replace(/\s+/g, ' '), command).toMatch(/"json", "yaml"|"yaml", "json"/);
  }
});

it('every command that lists prints a table and a wide one', { timeout: 180_000 }, async () => {
  for (const command of [['images'], ['report'], ['scan'], ['mirror'], ['config', 'print']]) {
    const { stdout } = await runProgram([...command, '--help']);
    expect(stdout.replace(/\s+/g, ' '), command.join(' ')).toContain('"table", "wide", "json", "yaml"');
  }
});

describe.concurrent('supercargo up', { timeout: 180_000 }, () => {
  it('ends orderly and leaves nothing behind when one Ctrl-C arrives twice', async () => {
    const home = freshPath('home');
    const program = await startProgram(upJson, { home });
    program.signal('SIGINT');
    program.signal('SIGINT');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(readdirSync(home)).toEqual([]);
  });

  it('refuses a port that is taken', async () => {
    const [port] = await freePorts(1);
    const first = await startProgram([...upJson, '--port', String(port)]);
    expect(first.ready.server).toBe(`https://127.0.0.1:${port}`);
    expect(await refused([...upJson, '--port', String(port)])).toBe(
      `port ${port} is taken; choose another with --port`,
    );
    await first.stop();
  });

  it('gives each cluster a kubeconfig of its own, and the newest to kubectl', async () => {
    const home = freshPath('home');
    const [first, second] = [
      await startProgram([...upJson, '--features', 'none'], { home }),
      await startProgram([...upJson, '--features', 'none'], { home }),
    ];
    const serverOf = async (env: Readonly<Record<string, string>> = {}) =>
      (await runProgram(['kubectl', 'config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}'], { home, env }))
        .stdout;
    expect(await serverOf()).toBe(second.ready.server);
    expect(await serverOf({ KUBECONFIG: first.ready.kubeconfig })).toBe(first.ready.server);
    await second.stop();
    expect([first, second].map(({ ready }) => existsSync(ready.kubeconfig))).toEqual([true, false]);
    // The older one is still there, and every command finds it.
    expect(await serverOf()).toBe(first.ready.server);
    const reported = await runProgram(['report', '-A'], { home });
    expect(reported.stderr).toContain(`using the cluster of "supercargo up" (kubeconfig ${first.ready.kubeconfig})`);
    await first.stop();
    expect(await refused(['kubectl', 'get', 'pods'], { home })).toMatch(/^no cluster is up/);
  });

  it('refuses a folder that is a file, lies in a file or cannot be made', async () => {
    const file = writeFile('file', '');
    expect(await refused([...upJson, '--dir', file])).toMatch(new RegExp(`^cannot use ${file}: EEXIST.*--dir$`));
    expect(await refused([...upJson, '--dir', `${file}/sub`])).toMatch(/^cannot use .*\/sub: ENOTDIR/);
    if (process.platform === 'linux')
      expect(await refused([...upJson, '--dir', '/proc/none'])).toMatch(/^cannot use \/proc\/none: ENOENT/);
  });

  it.skipIf(isRoot)('refuses a folder that cannot be written', async () => {
    const dir = freshPath('locked');
    mkdirSync(dir);
    chmodSync(dir, 0o500);
    expect(await refused([...upJson, '--dir', dir])).toContain('EACCES');
  });

  it('ends with 0 and soon when it is asked to, even while a watch is open', async () => {
    const program = await startProgram(upJson);
    const api = createHttpClient(readTarget(program.ready.kubeconfig));
    const watch = await api.watch('/api/v1/configmaps');
    const before = performance.now();
    expect(await program.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - before).toBeLessThan(20_000);
    await watch.ended;
    await api.close();
    expect(program.stderr()).toBe('');
    await expect(api.get('/readyz')).rejects.toThrow();
  });

  it('forgets everything without --dir', async () => {
    const home = freshPath('home');
    const first = await startProgram(upJson, { home });
    await withApi(first.ready.kubeconfig, (api) => createConfigMap(api, 'gone'));
    await first.stop();
    const second = await startProgram(upJson, { home });
    await withApi(second.ready.kubeconfig, async (api) => expect(await statusOf(api, 'gone')).toBe(404));
    await second.stop();
  });

  it('keeps everything in --dir over an orderly end and over a kill -9', async () => {
    const args = [...upJson, '--dir', freshPath('state')];
    const first = await startProgram(args);
    const kubeconfig = readFileSync(first.ready.kubeconfig, 'utf8');
    const before = await withApi(first.ready.kubeconfig, (api) => createConfigMap(api, 'one'));
    await first.stop();

    const second = await startProgram(args);
    await withApi(second.ready.kubeconfig, async (api) => {
      expect((await api.get(`${configMaps}/one`)).body).toEqual(before);
      // Answered is durable: the kill comes right after the last answer.
      for (const name of ['two', 'three', 'four']) await createConfigMap(api, name);
      expect((await api.delete(`${configMaps}/one`)).status).toBe(200);
      expect(await second.kill9()).toEqual({ code: null, signal: 'SIGKILL' });
    });

    const third = await startProgram(args);
    await withApi(third.ready.kubeconfig, async (api) => {
      const statuses = ['one', 'two', 'three', 'four'].map((name) => statusOf(api, name));
      expect(await Promise.all(statuses)).toEqual([404, 200, 200, 200]);
      const made = await createConfigMap(api, 'five');
      expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    });
    // Clients keep their credentials: only the port may be another.
    const withoutPort = (text: string) => text.replace(/127\.0\.0\.1:\d+/, '');
    expect(withoutPort(readFileSync(third.ready.kubeconfig, 'utf8'))).toBe(withoutPort(kubeconfig));
    await third.stop();
  });

  it('refuses a folder that another one uses, and leaves that one alone', async () => {
    const args = [...upJson, '--dir', freshPath('state')];
    const first = await startProgram(args);
    expect(await refused(args)).toMatch(/is (already )?(used|in use|locked)/);
    await withApi(first.ready.kubeconfig, (api) => createConfigMap(api, 'fine'));
    await first.stop();
  });

  it('plays the guided demo and ends on Ctrl-C', async () => {
    const program = launch(['up']);
    await program.until((stdout) => (stdout.includes('Try it:') ? true : undefined));
    const said = program.stdout();
    expect(said).toMatch(
      /^Supercargo is up: Kubernetes v1\.36\.\d+ at https:\/\/127\.0\.0\.1:\d+, ready after \d+ ms$/m,
    );
    expect(said).toMatch(/^ {3}export KUBECONFIG=\S+\/kubeconfig-\d+-\d+$/m);
    expect(said).toMatch(/^1\. A Deployment runs$/m);
    expect(said.match(/^ {3}pod\/hello-\S+ is Running/gm)).toHaveLength(3);
    expect(program.stdout()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n/);
    expect(program.stdout()).toMatch(
      /on the page: http:\/\/127\.0\.0\.1:\d+\/images\/docker\.io\/library\/nginx:1\.29\n/,
    );
    expect(said).toMatch(/^ {3}pod\/demo-change is created with nginx:1\.29; now it has the label tag=1\.29$/m);
    expect(said).toMatch(
      /^ {3}job\/check-demo-change was made for it, with the arguments \["check","1\.29"\]\n {3}on the page: http:\/\/127\.0\.0\.1:\d+\/jobs\?q=check-demo-change$/m,
    );
    program.signal('SIGINT');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toBe('');
  });

  it('ends on Ctrl-C in the middle of the demo', async () => {
    // Without simulation no pod ever runs: the scene waits for good.
    const program = launch(['up', '--no-simulation']);
    await program.until((stdout) => (stdout.includes('created deployment/hello') ? true : undefined));
    program.signal('SIGINT');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toBe('');
  });
});

describe.concurrent('supercargo on a cluster', { timeout: 180_000 }, () => {
  const cluster = useCluster();
  const onCluster = (...args: readonly string[]) =>
    runProgram([...args, '--kubeconfig', cluster.program.ready.kubeconfig]);
  const kubectl = (args: readonly string[], input = '') =>
    runProgram(['kubectl', ...args], { env: { KUBECONFIG: cluster.program.ready.kubeconfig } }, input);

  describe('kubectl', () => {
    it('passes arguments, input, output and exit code', async () => {
      const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'passed' }, data: { k: 'v' } };
      expect(await kubectl(['apply', '-f', '-'], JSON.stringify(manifest))).toEqual({
        exitCode: 0,
        stdout: 'configmap/passed created\n',
        stderr: '',
      });
      expect(await kubectl(['get', 'cm', 'passed', '-o', 'jsonpath={.data.k}'])).toMatchObject({ stdout: 'v' });
      expect(await kubectl(['get', 'cm', 'none'])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'Error from server (NotFound): configmaps "none" not found\n',
      });
      expect((await kubectl(['get', '--help'])).stdout).toContain('Display one or many resources');
    });

    it('finds the cluster that was started without --dir', async () => {
      const { home } = cluster.program;
      const { stdout } = await runProgram(['kubectl', 'get', 'nodes', '-o', 'name'], { home });
      expect(stdout).toBe('node/supercargo-node-1\n');
    });
  });

  describe('install', () => {
    const kinds = customResourceDefinitions('').length;

    it('prints manifests that the cluster accepts', async () => {
      const namespace = 'printed';
      await cluster.api.post('/api/v1/namespaces', { metadata: { name: namespace } });
      for (const format of ['yaml', 'json']) {
        const printed = await runProgram(['install', '--namespace', namespace, '-o', format]);
        expect(printed).toMatchObject({ exitCode: 0, stderr: '' });
        const tried = await kubectl(['create', '--dry-run=server', '-o', 'name', '-f', '-'], printed.stdout);
        // The namespace is the one that is there already, and the definitions came with the cluster.
        const refusals = tried.stderr.trimEnd().split('\n');
        expect(refusals.filter((line) => /customresourcedefinitions.* already exists$/.test(line))).toHaveLength(kinds);
        expect(refusals.filter((line) => line.startsWith('Warning:'))).toEqual([]);
        expect(refusals.at(-1)).toMatch(/^Error from server \(AlreadyExists\): .*namespaces "printed" already exists$/);
        expect(refusals).toHaveLength(kinds + 1);
        const part = (name: string, isPolicies: boolean) => [
          `serviceaccount/supercargo-${name}`,
          `role.rbac.authorization.k8s.io/supercargo-${name}`,
          `rolebinding.rbac.authorization.k8s.io/supercargo-${name}`,
          `clusterrole.rbac.authorization.k8s.io/supercargo:printed:${name}`,
          `clusterrolebinding.rbac.authorization.k8s.io/supercargo:printed:${name}`,
          ...(isPolicies
            ? ['webhooks', 'aggregated'].flatMap((role) => [
                `clusterrole.rbac.authorization.k8s.io/supercargo:printed:${name}:${role}`,
                `clusterrolebinding.rbac.authorization.k8s.io/supercargo:printed:${name}:${role}`,
              ])
            : []),
          `configmap/supercargo-${name}`,
          ...(isPolicies ? [`secret/supercargo-${name}-webhook`, `service/supercargo-${name}-webhook`] : []),
          `networkpolicy.networking.k8s.io/supercargo-${name}`,
          `poddisruptionbudget.policy/supercargo-${name}`,
          `deployment.apps/supercargo-${name}`,
        ];
        expect(tried.stdout.trimEnd().split('\n')).toEqual([
          'validatingadmissionpolicy.admissionregistration.k8s.io/supercargo.printed.detections',
          'validatingadmissionpolicybinding.admissionregistration.k8s.io/supercargo.printed.detections',
          ...['view', 'edit', 'admin'].map(
            (role) => `clusterrole.rbac.authorization.k8s.io/supercargo:printed:aggregate-to-${role}`,
          ),
          ...part('policies', true),
          ...part('automation', false),
        ]);
      }
    });

    it('applies, is content with what is there, and removes all of it', async () => {
      const names = ['--namespace', 'whole', '--installation', 'whole'];
      const first = await onCluster('install', '--apply', ...names);
      expect(first.exitCode).toBe(0);
      expect(first.stderr).toBe('');
      expect(first.stdout.match(/ applied$/gm)).toHaveLength(30);
      expect(first.stdout.match(/^customresourcedefinition.* kept: it was there before$/gm)).toHaveLength(kinds);
      await eventually(async () => {
        const { body } = await cluster.api.get('/apis/apps/v1/namespaces/whole/deployments/whole-policies');
        expect(body['status']).toMatchObject({ readyReplicas: 2 });
      });
      expect((await onCluster('install', '--apply', ...names)).stdout).toBe(first.stdout);
      const removed = await onCluster('uninstall', ...names);
      expect(removed.stdout.match(/ removed$/gm)).toHaveLength(30);
      expect(removed.stdout.match(/ kept: every policy or report would go with it$/gm)).toHaveLength(kinds);
      await eventually(async () => expect((await cluster.api.get('/api/v1/namespaces/whole')).status).toBe(404));
      expect(await ofOwner('whole')).toEqual([]);
      expect((await onCluster('uninstall', ...names)).stdout).toContain('namespace/whole absent');
    });

    it('keeps an edited configuration, says so, and overwrites it with --force', async () => {
      const names = ['--namespace', 'edited', '--installation', 'edited', '--part', 'detect=detect'];
      expect(await onCluster('install', '--apply', ...names)).toMatchObject({ exitCode: 0 });
      const path_ = '/api/v1/namespaces/edited/configmaps/edited-detect';
      const { body } = await cluster.api.get(path_);
      const data = { 'config.yaml': `${(body['data'] as { 'config.yaml': string })['config.yaml']}logLevel: debug\n` };
      await cluster.api.put(path_, { ...body, data });
      const again = await onCluster('install', '--apply', ...names);
      expect(again).toMatchObject({ exitCode: 0, stderr: '' });
      expect(again.stdout).toMatch(
        /^configmap\/edited-detect applied: with the changes made to it: logLevel; --force overwrites/m,
      );
      expect((await cluster.api.get(path_)).body['data']).toEqual(data);
      expect((await onCluster('install', '--apply', '--force', ...names)).exitCode).toBe(0);
      expect((await cluster.api.get(path_)).body['data']).toEqual(body['data']);
    });

    it('tries without a change, then waits until the pods are ready with the settings of a file', async () => {
      const names = ['--namespace', 'waited', '--installation', 'waited', '--features', 'detect'];
      const file = writeFile('installed.yaml', 'logLevel: debug\n');
      const options = [...names, '--config', file, '--pull-secret', 'pull'];
      const tried = await onCluster('install', '--dry-run', ...options);
      expect(tried).toMatchObject({ exitCode: 0 });
      expect(tried.stdout).toContain('deployment/waited-automation would be applied');
      expect((await cluster.api.get('/api/v1/namespaces/waited')).status).toBe(404);
      const applied = await onCluster('install', '--apply', '--wait', ...options);
      expect(applied).toMatchObject({ exitCode: 0 });
      expect(applied.stdout).toMatch(/^deployment\/waited-automation ready$/m);
      const { body } = await cluster.api.get('/apis/apps/v1/namespaces/waited/deployments/waited-automation');
      expect(body['status']).toMatchObject({ availableReplicas: 2 });
      expect(JSON.stringify(body['spec'])).toContain('"imagePullSecrets":[{"name":"pull"}]');
      const config = await kubectl(['get', 'configmap', 'waited-automation', '-n', 'waited', '-o', 'yaml']);
      expect(config.stdout).toContain('logLevel: debug');
      const wrong = writeFile('wrong.yaml', 'namespace: other\n');
      expect((await onCluster('install', '--apply', ...names, '--config', wrong)).stderr).toContain(
        'leave out namespace',
      );
      const removal = await onCluster('uninstall', '--dry-run', ...names.slice(0, 4));
      expect(removal.stdout).toContain('deployment/waited-automation would be removed');
      expect((await onCluster('uninstall', ...names.slice(0, 4))).exitCode).toBe(0);
    });

    it.skipIf(bash === undefined)('continues when the reader of its output closes the pipe', async () => {
      const names = ['--namespace', 'piped', '--installation', 'piped'];
      const args = ['install', '--apply', ...names, '--kubeconfig', cluster.program.ready.kubeconfig];
      // Bash alone tells the exit code of the first program of a pipe.
      const script = `"$0" ${supercargo} ${args.join(' ')} 2>/dev/null | head -1; exit \${PIPESTATUS[0]}`;
      const { status, stdout } = spawnSync(bash!, ['-c', script, process.execPath], { encoding: 'utf8' });
      expect({ status, lines: stdout.trim().split('\n').length }).toEqual({ status: 0, lines: 1 });
      const deployments = await kubectl(['get', 'deploy', '-n', 'piped', '-o', 'name']);
      expect(deployments.stdout).toContain('piped-policies');
    });

    it('stays out of kube-system, and says what it means to be in default', async () => {
      const { exitCode, stdout, stderr } = await onCluster('install', '--apply', '--namespace', 'kube-system');
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('install into a namespace of its own');
      const printed = await onCluster('install', '--namespace', 'default', '--features', 'detect');
      expect(printed.exitCode).toBe(0);
      expect(printed.stderr).toMatch(/^supercargo: warning: policies will not count in the namespace default/);
    });

    it('takes the rights of a part away that is no longer installed', async () => {
      const names = ['--namespace', 'fewer', '--installation', 'fewer'];
      await onCluster('install', '--apply', ...names);
      const fewer = await onCluster('install', '--apply', ...names, '--part', 'detect=detect');
      expect(fewer.stdout).toContain('deployment/fewer-policies removed: no longer part of the installation');
      expect(fewer.stdout).toContain('clusterrolebinding/fewer:fewer:policies removed');
      const { stdout } = await kubectl(['get', 'sa,deploy,clusterrolebinding', '-n', 'fewer', '-o', 'name']);
      expect(stdout.match(/fewer\S*/g)).toEqual(['fewer-detect', 'fewer-detect', 'fewer:fewer:detect']);
    });

    it('leaves to others what they keep in its namespace, and the webhooks of a namesake elsewhere', async () => {
      // Not the name of the installation that runs in this cluster: it registers its webhooks again.
      const names = ['--namespace', 'lodged', '--installation', 'lodged'];
      await onCluster('install', '--apply', ...names);
      const jobTemplate = {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      };
      await cluster.api.post('/apis/batch/v1/namespaces/lodged/cronjobs', {
        metadata: { name: 'nova' },
        spec: { schedule: '@yearly', suspend: true, jobTemplate },
      });
      const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      const webhook = (namespace: string) => ({
        metadata: { name: `of-${namespace}`, labels: { 'supercargo.dev/owner': 'lodged' } },
        webhooks: [
          {
            name: 'a.example.com',
            clientConfig: { service: { namespace, name: 's' } },
            failurePolicy: 'Ignore',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            rules: [
              { apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] },
            ],
          },
        ],
      });
      for (const namespace of ['lodged', 'elsewhere']) await cluster.api.post(configurations, webhook(namespace));
      const removed = await onCluster('uninstall', ...names);
      expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
      expect(removed.stdout).toContain('namespace/lodged kept: it holds objects that are not ours: cronjob/nova');
      expect(removed.stdout).toContain('validatingwebhookconfiguration/of-lodged removed');
      expect(removed.stdout).toContain('validatingwebhookconfiguration/of-elsewhere kept: it belongs to');
      expect((await cluster.api.get('/apis/batch/v1/namespaces/lodged/cronjobs/nova')).status).toBe(200);
      expect((await cluster.api.get(`${configurations}/of-elsewhere`)).status).toBe(200);
      await cluster.api.delete(`${configurations}/of-elsewhere`);
    });

    it('keeps the webhooks of a program outside the cluster, and removes those of its own pods with an address', async () => {
      const names = ['--namespace', 'addressed', '--installation', 'addressed'];
      await onCluster('install', '--apply', ...names);
      const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      const webhook = (name: string, annotations: Readonly<Record<string, string>>) => ({
        metadata: { name, labels: { 'supercargo.dev/owner': 'addressed' }, annotations },
        webhooks: [
          {
            name: 'a.example.com',
            clientConfig: { url: 'https://127.0.0.1:1/x' },
            failurePolicy: 'Ignore',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            rules: [
              { apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] },
            ],
          },
        ],
      });
      await cluster.api.post(configurations, webhook('of-laptop', {}));
      await cluster.api.post(configurations, webhook('of-pods', { 'supercargo.dev/installed-in': 'addressed' }));
      await cluster.api.post(configurations, webhook('of-others', { 'supercargo.dev/installed-in': 'elsewhere' }));
      const removed = await onCluster('uninstall', ...names);
      expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
      expect(removed.stdout).toContain('validatingwebhookconfiguration/of-pods removed');
      expect(removed.stdout).toContain('validatingwebhookconfiguration/of-laptop kept: a program outside the cluster');
      expect(removed.stdout).toContain('of-others kept: it belongs to the installation in namespace elsewhere');
      for (const name of ['of-laptop', 'of-others']) await cluster.api.delete(`${configurations}/${name}`);
    });

    it('leaves the webhooks of a running up alone, though it has the default name', async () => {
      const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
      const before = (await cluster.api.get(configurations)).body['items'] as readonly { metadata: { uid: string } }[];
      expect(before.length).toBeGreaterThan(0);
      const { exitCode, stdout } = await onCluster('uninstall', '--webhooks-only');
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^mutatingwebhookconfiguration\/supercargo-probe-admission kept: a program outside/m);
      const after = (await cluster.api.get(configurations)).body['items'] as readonly { metadata: { uid: string } }[];
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    });

    it('leaves the state of a running up alone, and is done at once', async () => {
      const secret = '/api/v1/namespaces/supercargo/secrets/supercargo-webhook';
      const before = (await cluster.api.get(secret)).body;
      expect(before.metadata.uid).toBeDefined();
      const { exitCode, stdout, stderr } = await onCluster('uninstall');
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('secret/supercargo-webhook kept: nothing is installed here: a program outside');
      expect(stdout).not.toContain(' removed');
      expect((await cluster.api.get(secret)).body.metadata.uid).toBe(before.metadata.uid);
    });

    it('touches no object that is not its own', async () => {
      await cluster.api.post('/api/v1/namespaces', { metadata: { name: 'shared', labels: { team: 'blue' } } });
      const path_ = '/api/v1/namespaces/shared/configmaps';
      const names = ['--namespace', 'shared', '--installation', 'shared'];
      const foreign = (await cluster.api.post(path_, { metadata: { name: 'shared-policies' }, data: { k: 'v' } })).body;
      const installed = await onCluster('install', '--apply', ...names);
      expect(installed.exitCode).toBe(2);
      expect(installed.stdout).toContain('namespace/shared kept: it was there before');
      expect(installed.stderr).toMatch(
        /^supercargo: configmap\/shared-policies exists and is not ours .*--installation$/m,
      );
      expect((await cluster.api.get(`${path_}/shared-policies`)).body).toEqual(foreign);
      const removed = await onCluster('uninstall', ...names);
      expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
      expect(removed.stdout).toContain('namespace/shared kept: it is not ours');
      expect((await cluster.api.get(`${path_}/shared-policies`)).body).toEqual(foreign);
      const inNamespace = await kubectl(['get', 'sa,role,rolebinding,deploy', '-n', 'shared', '-o', 'name']);
      expect(inNamespace.stdout).toBe('serviceaccount/default\n');
    });
  });

  describe('run', () => {
    const running = async (config: string) => {
      const file = writeFile('run.yaml', config);
      const program = launch(['run', '--config', file, '--kubeconfig', cluster.program.ready.kubeconfig]);
      const address = await program.until((_, stderr) => /"address":"([^"]+)"/.exec(stderr)?.[1]);
      return { program, file, get: (route: string) => fetch(`http://${address}${route}`) };
    };

    it('answers probes and metrics, leads while it runs and gives up the lease when it ends', async () => {
      const { program, get } = await running(
        'installation: solo\nfeatures: [detect]\nnamespace: default\nserver:\n  port: 0\n',
      );
      expect((await get('/healthz')).status).toBe(200);
      await eventually(async () => expect((await get('/readyz')).status).toBe(200));
      const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/solo-detect';
      const holder = async () => (await cluster.api.get(lease)).body.spec?.['holderIdentity'];
      await eventually(async () => expect(await holder()).toMatch(/_[0-9a-f]{8}$/));
      const metrics = await get('/metrics');
      expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
      await eventually(async () => expect(await (await get('/metrics')).text()).toMatch(/leader\S*\{.*\} 1$/m));
      expect((await get('/none')).status).toBe(404);
      expect(await program.stop()).toEqual({ code: 0, signal: null });
      expect((await holder()) ?? '').toBe('');
    });

    it('takes over a changed log level, and says which changes need a restart', async () => {
      const config = 'installation: reload\nfeatures: [detect]\nnamespace: default\nserver:\n  port: 0\n';
      const { program, file } = await running(config);
      // At once: half of a file would be another change.
      renameSync(writeFile('changed.yaml', `${config}logLevel: debug\nnetwork: { denyPrivate: true }\n`), file);
      const found = await program.until(
        (_, stderr) => /^.*"settings":\["network\.denyPrivate"\].*needs a restart.*$/m.exec(stderr)?.[0],
      );
      expect(found).toContain('"level":"warn"');
      expect(program.stderr()).toMatch(/"settings":\["logLevel"\],"msg":"the configuration was reloaded"/);
      expect(await program.stop()).toEqual({ code: 0, signal: null });
    });

    it('follows while another leads, and leads when that one has ended', async () => {
      const config = 'installation: pair\nfeatures: [detect]\nnamespace: default\nserver:\n  port: 0\n';
      const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/pair-detect';
      const holder = async () => String((await cluster.api.get(lease)).body.spec?.['holderIdentity'] ?? '');
      const first = await running(config);
      const leader = await eventually(async () => {
        const found = await holder();
        expect(found).not.toBe('');
        return found;
      });
      const second = await running(config);
      await eventually(async () => expect((await second.get('/readyz')).status).toBe(200));
      expect(await holder()).toBe(leader);
      await first.program.stop();
      await eventually(async () => {
        expect(await holder()).not.toBe('');
        expect(await holder()).not.toBe(leader);
      });
      await second.program.stop();
    });

    it('takes no namespace for its own that nobody named', async () => {
      const { kubeconfig } = cluster.program.ready;
      const { exitCode, stderr } = await runProgram(['run', '--features', 'detect', '--kubeconfig', kubeconfig]);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/leads to the namespace default, .*: name a namespace for this program with --namespace/);
      const leases = await cluster.api.get('/apis/coordination.k8s.io/v1/namespaces/default/leases/supercargo-detect');
      expect(leases.status).toBe(404);
    });

    it('names every mistake of its configuration in one line', async () => {
      const file = writeFile(
        'bad.yaml',
        'installation: ""\nlogLevel: loud\nwhat: 1\nserver:\n  port: 99999\nleaderElection:\n  leaseDuration: soon\n',
      );
      const line = await refused(['run', '--config', file]);
      expect(line.startsWith(`${file}: `)).toBe(true);
      for (const mistake of [
        'installation: ',
        'logLevel: ',
        'what: unknown setting',
        'server.port: ',
        'leaderElection.leaseDuration: ',
      ])
        expect(line).toContain(mistake);
      expect(await refused(['run', '--features', 'nope'])).toMatch(/^there is no feature nope .*admission/);
      expect(await refused(['run', '--config', '/none.yaml'])).toMatch(/^cannot read \/none\.yaml: ENOENT/);
    });

    it('points at the place where a configuration is broken', async () => {
      const broken = writeFile('broken.yaml', 'installation: x\nserver:\n  port: "8080\n');
      expect(await refused(['run', '--config', broken])).toMatch(/broken\.yaml:\d+:\d+: /);
      const twice = writeFile('twice.yaml', 'installation: x\ninstallation: y\n');
      expect(await refused(['run', '--config', twice])).toMatch(/twice\.yaml:2:1: .*"installation"/);
    });

    it('says in one line that the cluster cannot be reached', async () => {
      const [port] = await freePorts(1);
      const text = readFileSync(cluster.program.ready.kubeconfig, 'utf8');
      const dead = writeFile('dead', text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`));
      for (const command of ['run', 'report', 'uninstall'])
        expect(await refused([command, '--kubeconfig', dead], { code: 5 })).toMatch(
          new RegExp(`ECONNREFUSED 127\\.0\\.0\\.1:${port}`),
        );
      const stranger = writeFile('stranger', text.replace(/token: .*/, 'token: wrong'));
      expect(await refused(['run', '--kubeconfig', stranger], { code: 5 })).toMatch(/401|Unauthorized/);
      expect(await refused(['run'])).toMatch(/^no kubeconfig found/);
      expect(await refused(['run', '--kubeconfig', cluster.program.ready.kubeconfig, '--context', 'none'])).toContain(
        'has no context "none"',
      );
    });
  });

  async function ofOwner(owner: string): Promise<readonly string[]> {
    const kinds = 'ns,clusterrole,clusterrolebinding,sa,role,rolebinding,cm,deploy,rs,pods';
    const { stdout } = await kubectl(['get', kinds, '-A', '-l', `supercargo.dev/owner=${owner}`, '-o', 'name']);
    return stdout.split('\n').filter((line) => line !== '');
  }
});

const configMaps = '/api/v1/namespaces/default/configmaps';

async function createConfigMap(api: HttpClient, name: string) {
  const { status, body, text } = await api.post(configMaps, { metadata: { name }, data: { k: 'v' } });
  expect(status, text).toBe(201);
  return body;
}

const statusOf = async (api: HttpClient, name: string) => (await api.get(`${configMaps}/${name}`)).status;

async function withApi<T>(kubeconfig: string, work: (api: HttpClient) => Promise<T>): Promise<T> {
  expect(existsSync(kubeconfig)).toBe(true);
  const api = createHttpClient(readTarget(kubeconfig));
  try {
    return await work(api);
  } finally {
    await api.close();
  }
}
