import type { KubeObject } from '../../object/index.ts';

/** What a strategy may ask of the cluster while it prepares an object. */
export interface StrategyEnvironment {
  readonly now: number;
  readonly randomPort: () => number;
  readonly allocateClusterIp: () => string;
}

/** What the server does to objects of one kind beyond decoding, defaulting and validating them. */
export interface Strategy {
  /** `metadata.generation` counts changes of anything but metadata and status. */
  readonly countsGenerations?: boolean;
  /** Fills in what only the server may set. The object has its name and uid. */
  readonly prepareCreate?: (object: KubeObject, environment: StrategyEnvironment) => KubeObject;
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject, environment: StrategyEnvironment) => KubeObject;
  /** An update without resourceVersion is refused. */
  readonly needsResourceVersion?: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean;
  /** Told to whoever creates one: what the embedded cluster does not do with it. */
  readonly warning?: string;
}

/** Reads a field of a kind's own part; the kinds' schemas have checked the form before. */
export function part(object: KubeObject, field: string): Readonly<Record<string, unknown>> {
  return (object[field] as Readonly<Record<string, unknown>> | undefined) ?? {};
}
