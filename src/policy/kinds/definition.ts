import type { KubeObject } from '../../object/index.ts';
import type { DerivedSpec } from '../autogen/index.ts';
import type { Issues } from '../check/issues.ts';
import type { Shape } from '../check/shape.ts';
import type { CompiledPolicy } from '../compile/index.ts';
import type { KindPolicy, KindSpec } from './types.ts';

/** All that is particular to a kind. */
export interface KindDefinition<Spec extends KindSpec = KindSpec> {
  /** The fields of its spec; others are mistakes. */
  readonly spec: Shape;
  /** What is wrong with a policy whose fields are as the shape says: its expressions foremost. */
  check(policy: KindPolicy<Spec>, issues: Issues): void;
  /** The specs that autogen derives for controllers of Pods. */
  derive?(spec: Spec): readonly DerivedSpec<Spec>[];
  /** A policy without mistakes, ready to run. `related`: objects that belong to it, such as bindings. */
  compile(policy: KindPolicy<Spec>, related: readonly KubeObject[]): CompiledPolicy;
}
