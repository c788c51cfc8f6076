import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Where the kubeconfig of a cluster without a directory goes: one per user, the newest `up` wins. */
export function localFolder(temporaryDir: string): string {
  return join(temporaryDir, `supercargo-${userInfo().username}`);
}
