import type { Clock, Logger } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { Attributes } from '../admission/attributes.ts';
import type { StrategyEnvironment } from '../kinds/strategy.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { Store } from '../store/index.ts';

/** The admission chain: built-in steps, then webhooks. */
export interface Admission {
  /** Returns the object after all mutations; throws StatusError to deny the request. */
  mutate(attributes: Attributes): Promise<KubeObject | undefined>;
  validate(attributes: Attributes): Promise<void>;
}

/** The dependencies of the operations on objects. */
export interface Core {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly log: Logger;
  readonly objectMetaSchema: Schema;
  readonly strategyEnvironment: () => StrategyEnvironment;
  readonly randomSuffix: () => string;
}
