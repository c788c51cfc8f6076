import type { Registry } from 'prom-client';
import type { OnResults, PolicyProblem, PolicyProblems, PolicyWebhook } from '../../admission/index.ts';
import type { Clock, Logger } from '../../base/index.ts';
import type { ControllerMetrics, Runnable } from '../../controller/index.ts';
import type { Inventory } from '../../inventory/index.ts';
import type { Environment, EventRecorder, InformerFactory } from '../../kube/index.ts';
import type { LabelMatcher } from '../../object/index.ts';
import type { EvaluationTurns, LiveLookUps, LivePolicies, Namespaces, Roles } from '../../runtime/index.ts';
import type { Webhooks } from '../../webhook/index.ts';
import type { Config } from '../config.ts';
import type { Connection } from '../connect.ts';

/** What the program passes to each feature. */
export interface FeatureEnvironment {
  readonly config: Config;
  /** Calls with the configuration after a change of a setting that a running program takes over. */
  onReload(listener: (config: Config) => void): void;
  /** The process's environment variables: proxies, and prescribed settings. */
  readonly env: Environment;
  /** Our own namespace in the cluster. */
  readonly namespace: string;
  readonly connection: Connection;
  /** The worker program that writes reports; without it they are written in this thread. */
  readonly reportWorker: URL | undefined;
  readonly dashboard: DashboardPlace | undefined;
  /** One informer per kind, shared by all features. */
  readonly informers: InformerFactory;
  /** Which image runs where; workloads are watched only if a feature needs them. */
  readonly inventory: Inventory;
  readonly policies: LivePolicies;
  /** Which of them are ours, by their labels; all if undefined. */
  readonly selector: LabelMatcher | undefined;
  readonly lookUps: LiveLookUps;
  /** Labels of namespaces, watched only if a feature needs them. */
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  /** Order among heavy evaluations on this event loop. */
  readonly turns: EvaluationTurns;
  /** Features register their reviewers here; the server runs if there is one. */
  readonly webhooks: Webhooks;
  readonly admissionResults: AdmissionResultsFeed;
  readonly policyProblems: PolicyProblemsFeed;
  readonly policyWebhooks: PolicyWebhooks;
  readonly events: EventRecorder;
  readonly metrics: Registry;
  /** The metrics of controllers and queues. */
  readonly controllerMetrics: ControllerMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the page needs of the program around it. */
export interface DashboardPlace {
  /** The worker program that serves it; without it it is served in this thread. */
  readonly worker?: URL | undefined;
  /** The folder of its files. */
  readonly page?: URL | undefined;
  readonly version: string;
  /** With it, whoever has the link sees everything: for a cluster on this machine. */
  readonly linkToken?: string | undefined;
  readonly onListening?: ((port: number) => void) | undefined;
}

/** From admission to any listener. There may be no publisher and no listener. */
export interface AdmissionResultsFeed {
  readonly publish: OnResults;
  readonly hasListeners: boolean;
  subscribe(listener: OnResults): () => void;
}

/** Webhooks of policies beside those of admission: a policy is ready when all of them are registered. */
export interface PolicyWebhooks extends PolicyWebhook {
  add(webhook: PolicyWebhook): void;
}

/** From the features that run policies to the one that writes their status. */
export interface PolicyProblemsFeed extends PolicyProblems {
  /** How a feature sets or clears the problem of a policy. */
  from(feature: string): (policy: string, problem: PolicyProblem | undefined) => void;
}

/** The parts of a feature. Leader-only runnables need the group of the feature's name. */
interface FeatureParts {
  readonly runnables: readonly Runnable[];
}

/** Wires one feature; the only place that knows both the feature and its dependencies on others. */
export type WireFeature = (environment: FeatureEnvironment) => FeatureParts;
