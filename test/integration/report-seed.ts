import { expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { renderJson, silentLogger } from '../../src/base/index.ts';
import { locateTool, runTool } from '../support/kubectl.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { installKinds, runFeatures } from './run-features.ts';

const privileged = { '=(securityContext)': { '=(privileged)': 'false' } };

/** The example of the proposal that reports per policy come from. */
const disallowPrivileged = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: {
    name: 'disallow-privileged-containers',
    annotations: {
      'policies.kyverno.io/title': 'Disallow Privileged Containers',
      'policies.kyverno.io/category': 'Pod Security Standards (Baseline)',
      'policies.kyverno.io/severity': 'medium',
      'policies.kyverno.io/subject': 'Pod',
    },
  },
  spec: {
    validationFailureAction: 'audit',
    background: true,
    rules: [
      {
        name: 'privileged-containers',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: {
          message:
            'Privileged mode is disallowed. The fields spec.containers[*].securityContext.privileged and ' +
            'spec.initContainers[*].securityContext.privileged must be unset or set to `false`.',
          pattern: {
            spec: {
              '=(ephemeralContainers)': [privileged],
              '=(initContainers)': [privileged],
              containers: [privileged],
            },
          },
        },
      },
    ],
  },
};

const requireNamespaceLabel = (name: string) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name },
  spec: {
    validationFailureAction: 'audit',
    background: true,
    rules: [
      {
        name: 'check-for-labels-on-namespace',
        match: { any: [{ resources: { kinds: ['Namespace'] } }] },
        validate: {
          message: 'The label `thisshouldnotexist` is required.',
          pattern: { metadata: { labels: { thisshouldnotexist: '?*' } } },
        },
      },
    ],
  },
});

const podOf = (i: number, isPrivileged: boolean) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${i}`, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'nginx:1.29', securityContext: { privileged: isPrivileged } }] },
});

/** Both examples of the proposal, through kubectl: the names and columns are to be exactly those. */
export function defineSeedExamples(get: () => Cluster): void {
  it('are named and counted as the proposal shows, for pods and for namespaces', { timeout: 60_000 }, async () => {
    const tool = await locateTool('kubectl');
    if (tool.path === undefined) return console.warn(`skipped: ${tool.reason}`);
    const cluster = get();
    const kubectl = async (args: readonly string[], input?: string) => {
      const run = await runTool(tool.path, ['--kubeconfig', cluster.kubeconfigPath, ...args], input);
      expect(run.stderr.replace(/^Warning:.*\n/gm, '')).toBe('');
      return run.stdout;
    };
    const setUp = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(setUp);
    await setUp.client.close();
    const running = await runFeatures(cluster, ['report']);
    try {
      const items = [
        disallowPrivileged,
        requireNamespaceLabel('require-ns-dev-labels'),
        requireNamespaceLabel('require-ns-prod-labels'),
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
        ...Array.from({ length: 33 }, (_, i) => podOf(i, i >= 18)),
      ];
      await kubectl(['create', '-f', '-'], renderJson({ apiVersion: 'v1', kind: 'List', items }));
      await eventually(
        async () => {
          const table = columnsOf(await kubectl(['get', 'polr', '-n', 'default']));
          expect(table).toEqual([
            ['NAME', 'PASS', 'FAIL', 'WARN', 'ERROR', 'SKIP', 'AGE'],
            ['polr-ns-default-disallow-privileged-containers', '18', '15', '0', '0', '0', expect.any(String)],
          ]);
          expect(columnsOf(await kubectl(['get', 'cpolr']))).toEqual([
            ['NAME', 'PASS', 'FAIL', 'WARN', 'ERROR', 'SKIP', 'AGE'],
            ['clusterpolicyreport-require-ns-dev-labels', '0', '2', '0', '0', '0', expect.any(String)],
            ['clusterpolicyreport-require-ns-prod-labels', '0', '2', '0', '0', '0', expect.any(String)],
          ]);
        },
        { timeoutMs: 20_000, intervalMs: 200 },
      );
    } finally {
      await running.stop();
      await kubectl(['delete', 'cpol', '--all']);
      await kubectl(['delete', 'pods', '--all', '-n', 'default', '--grace-period=0', '--force']);
    }
  });
}

const columnsOf = (table: string) =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s{2,}/).map((cell) => cell.trim()));
