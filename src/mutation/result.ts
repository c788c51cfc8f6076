import type { KubeObject } from '../object/index.ts';

export type MutationResult = { readonly object: KubeObject } | { readonly error: string };
