import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { renderYaml } from '../../src/base/index.ts';
import { launch, type Running } from '../support/program.ts';
import type { Cluster } from '../support/real-cluster.ts';

/** Starts the built program's `run` against a cluster on this machine; its files go when it is stopped. */
export function launchRun(
  { kubeconfigPath }: Pick<Cluster, 'kubeconfigPath'>,
  config: object,
  env: Readonly<Record<string, string>> = {},
): Pick<Running, 'stderr' | 'until' | 'stop'> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-run-'));
  const file = path.join(folder, 'config.yaml');
  const local = {
    server: { port: 0 },
    webhook: { port: 0, exposure: 'loopback', removeOnStop: false },
    network: { allowLoopback: true },
  };
  writeFileSync(file, renderYaml({ ...local, ...config }));
  const program = launch(['run', '--config', file, '--kubeconfig', kubeconfigPath], { env });
  return {
    stderr: program.stderr,
    until: program.until,
    async stop() {
      const exit = await program.stop();
      rmSync(folder, { recursive: true, force: true });
      return exit;
    },
  };
}
