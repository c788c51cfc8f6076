import { createHash } from 'node:crypto';
import type { Condition, KubeObject } from '../object/index.ts';

export const mirroredImages = {
  group: 'supercargo.dev',
  version: 'v1alpha1',
  resource: 'mirroredimages',
  kind: 'MirroredImage',
  namespaced: false,
} as const;

/** Where credentials for a source may be found. */
export interface PullSecretRef {
  readonly namespace: string;
  /** The name of a Secret; absent with `serviceAccount`. */
  readonly name?: string;
  readonly serviceAccount?: string;
}

export interface MirroredImage extends KubeObject {
  readonly spec: {
    readonly source: string;
    readonly copy: string;
    readonly digest?: string;
    readonly pullSecrets?: readonly PullSecretRef[];
    readonly follow?: boolean;
  };
  readonly status?: {
    readonly phase?: 'Pending' | 'Copying' | 'Copied' | 'Failed';
    readonly digest?: string;
    readonly sourceDigest?: string;
    readonly bytesTotal?: number;
    readonly bytesCopied?: number;
    readonly attempts?: number;
    readonly message?: string;
    readonly copiedAt?: string;
    readonly checkedAt?: string;
    /** Empty while a workload uses the image. */
    readonly unusedSince?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** One object per source and copy, for all users: the name is derived from both. */
export function mirroredImageName(source: string, copy: string): string {
  const words = source
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 180)
    .replace(/-+$/, '');
  const hash = createHash('sha256').update(`${source}\n${copy}`).digest('hex').slice(0, 16);
  return `${words}-${hash}`;
}
