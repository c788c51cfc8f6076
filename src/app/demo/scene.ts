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
  /** A folder that is kept as long as the cluster. */
  readonly folder: string;
  /** The address of the page, without path; undefined if it is not served. */
  readonly page?: string | undefined;
  /** Prints one line. */
  readonly say: (line: string) => void;
}

export interface Scene {
  readonly title: string;
  /** The features that the scene requires. */
  readonly needs?: readonly FeatureName[];
  /** Resolves to where the page shows what it made, which stays: path and query; undefined if it made nothing. */
  play(context: SceneContext): Promise<string | undefined>;
}
