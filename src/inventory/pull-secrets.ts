import type { PullSecretRef } from '../api/index.ts';
import { isJsonObject } from '../base/index.ts';

/** Where the kubelet looks for credentials: the pod's own secrets, then those of its service account. */
export function pullSecretsOf(
  { spec }: { readonly spec: Readonly<Record<string, unknown>> },
  namespace: string,
): readonly PullSecretRef[] {
  const own = Array.isArray(spec['imagePullSecrets']) ? spec['imagePullSecrets'] : [];
  const names = own.flatMap((entry) =>
    isJsonObject(entry) && typeof entry['name'] === 'string' ? [entry['name']] : [],
  );
  const account = typeof spec['serviceAccountName'] === 'string' ? spec['serviceAccountName'] : '';
  return [...names.map((name) => ({ namespace, name })), { namespace, serviceAccount: account || 'default' }];
}
