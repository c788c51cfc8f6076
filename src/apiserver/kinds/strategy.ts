import type { KubeObject } from '../../object/index.ts';

/** The cluster functions that a strategy may use while it prepares an object. */
export interface StrategyEnvironment {
  readonly now: number;
  readonly randomPort: () => number;
  readonly allocateClusterIp: () => string;
}

/** What the server does for objects of one kind besides decoding, defaulting and validation. */
export interface Strategy {
  /** `metadata.generation` counts changes of anything except metadata and status. */
  readonly countsGenerations?: boolean;
  /** Sets what only the server may set. The object has its name and uid. */
  readonly prepareCreate?: (object: KubeObject, environment: StrategyEnvironment) => KubeObject;
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject, environment: StrategyEnvironment) => KubeObject;
  /** An update without resourceVersion is refused. */
  readonly needsResourceVersion?: boolean;
  /** DELETE returns the object instead of a Status. */
  readonly returnsDeleted?: boolean;
}

/** Reads a field of the kind's own part; its schema has checked the form before. */
export function part(object: KubeObject, field: string): Readonly<Record<string, unknown>> {
  return (object[field] as Readonly<Record<string, unknown>> | undefined) ?? {};
}
