import type { FeatureName } from '../config.ts';
import type { Connection } from '../connect.ts';

/** What a scene of the guided demo may use. */
export interface SceneContext {
  readonly connection: Connection;
  /** How this program is called in a shell. */
  readonly program: string;
  /** The embedded registry, where images are copied to. */
  readonly registry: string;
  readonly signal: AbortSignal;
  /** The enabled features. */
  readonly features: readonly FeatureName[];
  /** The address of the page, without path; undefined if it is not served. */
  readonly page?: string | undefined;
  /** Prints one line. */
  readonly say: (line: string) => void;
}

export interface Scene {
  readonly title: string;
  /** The features that the scene requires. */
  readonly needs?: readonly FeatureName[];
  /** Where the page shows what the scene makes: path and query. */
  page?(context: SceneContext): string;
  play(context: SceneContext): Promise<void>;
}
