/** The commands of docs/install.md against the embedded cluster; test/cluster runs all of them on a real node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { helmPath, kubectlPath } from '../support/kubectl.ts';
import { runProgram } from '../support/program.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { findOnPath } from '../support/search-path.ts';
import { missingOf } from '../support/skip.ts';
import { expectInstalled, followInstallPage, samples } from './install-page.ts';
import { launchRun } from './run-program.ts';

const [helm, kubectl, bash] = await Promise.all([helmPath(), kubectlPath(), findOnPath('bash')]);
const missing = missingOf('the commands of docs/install.md', { helm, kubectl, bash });

describe.skipIf(missing !== undefined)('the commands of docs/install.md', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: { jobDurationMs: 50, podStartMs: 10, podStopMs: 10 } });
  });
  afterAll(() => cluster?.stop());

  it('work in the order of the page, and it shows what they print', async () => {
    let checked: readonly string[] = [];
    // In place of the pods, which run nothing here.
    let pod: Awaited<ReturnType<typeof launchRun>> | undefined;
    const prepare = async (commands: string) => {
      // These change the folder that other tests run from.
      if (/^npm /m.test(commands)) return '';
      if (/^kubectl exec/m.test(commands)) {
        const { exitCode, stdout } = await runProgram([
          'check',
          '--as-installed',
          '--kubeconfig',
          cluster.kubeconfigPath,
        ]);
        expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringContaining('fail     leases') });
        checked = stdout.split('\n');
        return '';
      }
      if (commands.startsWith('kubectl apply'))
        pod = launchRun(cluster, {
          ...{ namespace: 'supercargo', features: ['admission', 'report'] },
          webhook: { port: 0, exposure: 'loopback' },
        });
      if (commands.startsWith('helm upgrade')) await pod?.stop();
      return commands;
    };
    try {
      const outputs = await followInstallPage({
        ...{ tools: { helm: helm!, kubectl: kubectl!, bash: bash! }, registry: 'registry.example', prepare },
        kubeconfigPath: cluster.kubeconfigPath,
      });
      expectInstalled(outputs);
      const [check, report] = samples;
      expect(check!.filter((line) => !checked.includes(line))).toEqual([]);
      expect([...outputs.values()].join('')).toContain(report!.join('\n'));
    } finally {
      await pod?.stop();
    }
  });
});
