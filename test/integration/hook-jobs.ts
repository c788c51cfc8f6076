/** Runs the Jobs of hooks as a node would: the program itself, with the account of the Job and no other right. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiServerOptions } from '../../src/apiserver/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { allows, rightsOfRule } from '../rights/access.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';

type Authorize = NonNullable<ApiServerOptions['authorize']>;
type Rule = Parameters<typeof rightsOfRule>[0];

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Gives ServiceAccounts what ClusterRoles bind to them, as the API server does; everybody else may do everything. */
export function authorizeAccounts(api: () => HttpClient): Authorize {
  return async ({ user: { username }, verb, resource }) => {
    const [, namespace, name] = /^system:serviceaccount:(.+):(.+)$/.exec(username) ?? [];
    if (namespace === undefined || !resource) return true;
    const [bindings, roles] = await Promise.all(
      ['clusterrolebindings', 'clusterroles'].map(async (kind) => (await api().get(`${rbac}/${kind}`)).body.items),
    );
    const isSubject = (one: unknown) =>
      (one as { namespace?: string }).namespace === namespace && (one as { name?: string }).name === name;
    return bindings!
      .filter(({ subjects }) => (subjects as readonly unknown[] | undefined)?.some(isSubject))
      .flatMap(({ roleRef }) => roles!.filter(({ metadata }) => metadata.name === (roleRef as { name: string }).name))
      .flatMap(({ rules }) => (rules as readonly Rule[]).flatMap((rule) => rightsOfRule(rule)))
      .some((right) => allows(right, { verb, ...resource }));
  };
}

interface RunJob {
  readonly name: string;
  readonly exitCode: number;
  readonly output: string;
}

interface JobSpec {
  readonly template: {
    readonly spec: {
      readonly serviceAccountName: string;
      readonly containers: readonly { readonly args: readonly string[] }[];
    };
  };
}

export interface HookJobs {
  readonly ran: readonly RunJob[];
  stop(): Promise<void>;
}

export function runHookJobs(cluster: Cluster, api: HttpClient, namespace: string): HookJobs {
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-hooks-'));
  const seen = new Set<string>();
  const ran: RunJob[] = [];
  const end = new AbortController();

  const run = async (name: string, { template: { spec } }: JobSpec) => {
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${spec.serviceAccountName}/token`;
    const { token } = (await api.post(account, { spec: {} })).body['status'] as { readonly token: string };
    const kubeconfig = path.join(folder, `${name}.kubeconfig`);
    const ca = Buffer.from(cluster.caPem).toString('base64');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: cluster.url, 'certificate-authority-data': ca } }],
        users: [{ name: 'u', user: { token } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    let output = '';
    const stream = { isTTY: false, write: (text: string) => void (output += text) };
    const context = {
      env: {},
      openStdin: () => process.stdin,
      stdout: stream,
      stderr: stream,
      temporaryDir: folder,
      signal: end.signal,
      uptimeMs: () => 0,
    };
    const exitCode = await runCli([...spec.containers[0]!.args, '--kubeconfig', kubeconfig], context, '0.0.0');
    ran.push({ name, exitCode, output });
    const at = new Date().toISOString();
    const condition = (type: string) => ({ type, status: 'True', lastProbeTime: at, lastTransitionTime: at });
    const conditions =
      exitCode === 0
        ? [condition('SuccessCriteriaMet'), condition('Complete')]
        : [condition('FailureTarget'), condition('Failed')];
    const done = exitCode === 0 ? { succeeded: 1, completionTime: at } : { failed: 1 };
    await api.patch(`${jobs}/${name}/status`, { status: { startTime: at, conditions, ...done } }, 'merge');
  };

  const running = (async () => {
    while (!end.signal.aborted) {
      const { body } = await api.get(jobs);
      for (const { metadata, spec } of body.items ?? []) {
        if (seen.has(metadata.uid)) continue;
        seen.add(metadata.uid);
        await run(metadata.name, spec as unknown as JobSpec);
      }
      await sleep(25);
    }
  })();
  return {
    ran,
    async stop() {
      end.abort();
      await running;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
