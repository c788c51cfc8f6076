import type { Mapping, RegistryTarget } from '../image/index.ts';
import type { LabelMatcher } from '../object/index.ts';

/** How images are cloned; all of it is configuration. */
export interface MirrorSettings {
  readonly target: RegistryTarget;
  readonly mapping: Mapping;
  /** `tag` writes `name:tag`, `digest` writes `name:tag@digest`. */
  readonly pin: 'tag' | 'digest';
  /**
   * `sync` waits for the copy, `async` admits the workload unchanged and rewrites it later, `auto` waits a moment for
   * what is small.
   */
  readonly mode: 'sync' | 'async' | 'auto';
  readonly waitMs: number;
  readonly waitBytes: number;
  /** Which objects are rewritten. */
  readonly rewrite: 'workloads' | 'pods';
  /** Namespaces whose workloads are looked at. */
  readonly selectsNamespace: LabelMatcher;
  /** Never looked at, whatever their labels: kube-system and our own. */
  readonly exemptNamespaces: readonly string[];
  /** Added to the pod's `imagePullSecrets` with the first rewritten image. */
  readonly pullSecret?: string | undefined;
  /** Workloads that a GitOps tool keeps are left to it in the background pass. */
  readonly skipsGitOps: boolean;
  /** A tag of a source that moved is copied again. */
  readonly follow: boolean;
  readonly recheckMs: number;
}
