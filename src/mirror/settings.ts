import type { Mapping, RegistryTarget } from '../image/index.ts';
import type { LabelMatcher } from '../object/index.ts';

/** Settings of mirroring, from the configuration. */
export interface MirrorSettings {
  readonly target: RegistryTarget;
  readonly mapping: Mapping;
  /** `tag` writes `name:tag`, `digest` writes `name:tag@digest`. */
  readonly pin: 'tag' | 'digest';
  /**
   * `sync` waits for the copy, `async` admits the workload unchanged and rewrites it afterwards, `auto` waits a short
   * time for small images.
   */
  readonly mode: 'sync' | 'async' | 'auto';
  readonly waitMs: number;
  readonly waitBytes: number;
  /** Which objects are rewritten. */
  readonly rewrite: 'workloads' | 'pods';
  /** Selects the namespaces whose workloads are rewritten. */
  readonly selectsNamespace: LabelMatcher;
  /** Never rewritten, whatever their labels: kube-system and our own. */
  readonly exemptNamespaces: readonly string[];
  /** Added to the pod's `imagePullSecrets` with the first rewritten image. */
  readonly pullSecret?: string | undefined;
  /** Whether the background pass skips workloads that a GitOps tool manages. */
  readonly skipsGitOps: boolean;
  /** Whether a moved tag of a source is copied again. */
  readonly follow: boolean;
  readonly recheckMs: number;
}
