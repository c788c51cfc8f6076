import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Where kubeconfigs of clusters without a directory go: one for each, and `kubeconfig` for the newest of the user. */
export function localFolder(temporaryDir: string): string {
  return join(temporaryDir, `supercargo-${userInfo().username}`);
}
