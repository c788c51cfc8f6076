import { isJsonObject } from '../base/index.ts';
import { pullSecretsOf } from '../inventory/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { LookUps } from '../runtime/index.ts';

/** Look-ups that read images with the pull secrets of the triggering Pod, as the kubelet would. */
export function withPullSecrets(lookUps: LookUps, { apiVersion, kind, metadata, spec }: KubeObject): LookUps {
  if (apiVersion !== 'v1' || kind !== 'Pod' || !isJsonObject(spec) || metadata.namespace === undefined) return lookUps;
  const pullSecrets = pullSecretsOf({ spec }, metadata.namespace);
  return {
    answer: (lookUp, signal) =>
      lookUps.answer(lookUp.kind === 'imageData' ? { ...lookUp, pullSecrets } : lookUp, signal),
  };
}
