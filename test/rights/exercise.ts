import type { configOf, FeatureName } from '../../src/app/config.ts';
import type { Connection } from '../../src/app/connect.ts';
import type { Clock } from '../../src/base/index.ts';
import type { RegistryClient } from '../../src/registry/index.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { InsightsServer } from '../support/insights-server.ts';
import type { Right } from './access.ts';
import type { Recorder } from './recorder.ts';

/** A cluster in which features run with an account of their own, as its administrator sees it. */
export interface Place {
  readonly features: readonly FeatureName[];
  readonly http: HttpClient;
  readonly administrator: Connection;
  /** `host:port` of a registry with nothing in it. */
  readonly registry: string;
  readonly images: RegistryClient;
  readonly insights: InsightsServer;
  /** For files of the exercise; removed afterwards. */
  readonly folder: string;
  /** What the page of the dashboard is served on. */
  readonly page: () => string;
  /** Creates an object, and fails if that is refused. */
  readonly create: (path: string, object: object) => Promise<void>;
  /** Does something before the next request that this right would allow. */
  readonly before: Recorder['before'];
}

/** Features are started twice; the last time they remove their webhooks when they end. */
export type Session = 'first' | 'last';

/** Everything that a feature asks an API server for. */
export interface Exercise {
  readonly config?: (place: Place, session: Session) => Partial<Parameters<typeof configOf>[0]>;
  readonly env?: Readonly<Record<string, string>>;
  /** Of the last session, where the feature runs alone. */
  readonly clock?: Clock;
  /** What the administrator of the exercise grants in addition, as the documentation says: not part of the check. */
  readonly grants?: readonly Right[];
  /** What the exercise shows the lack of. */
  readonly refused?: readonly Right[];
  /** Before the features start. */
  readonly prepare?: (place: Place) => Promise<void>;
  readonly run: (place: Place) => Promise<void>;
  /** In the last session. */
  readonly again?: (place: Place) => Promise<void>;
  readonly end?: () => Promise<void> | undefined;
}

/** The namespace and name of the installation. */
export const home = 'supercargo';
