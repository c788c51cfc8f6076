import type { FeatureName } from '../config.ts';
import type { Connection } from '../connect.ts';

/** What a scene of the guided demo may use. */
export interface SceneContext {
  readonly connection: Connection;
  /** How this program is called in a shell. */
  readonly program: string;
  /** The embedded registry, where images are cloned. */
  readonly registry: string;
  readonly signal: AbortSignal;
  /** What is switched on. */
  readonly features: readonly FeatureName[];
  /** One line of what is going on. */
  readonly say: (line: string) => void;
}

export interface Scene {
  readonly title: string;
  /** The feature without which there is nothing to see. */
  readonly needs?: FeatureName;
  play(context: SceneContext): Promise<void>;
}
