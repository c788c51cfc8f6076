import type { ContainerImage } from '../inventory/index.ts';
import type {
  DetectionPhase,
  JobState,
  ObjectRef,
  ResultCounts,
  ResultStatus,
  VulnerabilityCounts,
} from './protocol.ts';

/** What is kept of objects: only what some view shows. A fact belongs to one object and is replaced as a whole. */

/** A workload that people wrote, with the images of its containers. */
export interface WorkloadFact {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly images: readonly ContainerImage[];
  /** `namespace/name`, where the watch keeps it anyway. */
  readonly key?: string;
}

/** What a node says of one container of a pod. */
export interface ContainerState {
  /** `repository@digest`, as the node pulled it; empty before. */
  readonly imageId: string;
  readonly state: 'running' | 'waiting' | 'terminated' | 'unknown';
  readonly reason: string;
  readonly message: string;
}

/** Where a pod runs, what, and why not. Pods of controllers too. */
export interface PodFact {
  readonly namespace: string;
  readonly name: string;
  /** The kind and name of its controller; empty for a pod that people wrote. */
  readonly ownerKind: string;
  readonly ownerName: string;
  /** The Deployment whose ReplicaSet made it, by the label `pod-template-hash`; empty otherwise. */
  readonly deployment: string;
  readonly node: string;
  /** It ended, well or not. */
  readonly isOver: boolean;
  readonly images: readonly ContainerImage[];
  /** One for each of `images`. */
  readonly containers: readonly ContainerState[];
  /** Of its first container, if it is running; may be empty. */
  readonly pulledDigest?: string;
  /** `namespace/name`, where the watch keeps it anyway. */
  readonly key?: string;
}

export interface CopyFact {
  readonly name: string;
  readonly source: string;
  readonly copy: string;
  readonly state: 'pending' | 'copying' | 'copied' | 'failed';
  readonly digest: string;
  readonly sourceDigest: string;
  readonly bytesTotal: number | undefined;
  readonly bytesCopied: number | undefined;
  readonly attempts: number | undefined;
  readonly message: string;
  readonly createdAt: string;
  readonly copiedAt: string;
  readonly checkedAt: string;
  readonly unusedSince: string;
}

export interface JobFact {
  readonly namespace: string;
  readonly name: string;
  readonly origin: 'generated' | 'on-demand';
  readonly state: JobState;
  /** The image it was made for, as written; empty if it names none. */
  readonly image: string;
  readonly madeBy: string;
  readonly trigger: ObjectRef | undefined;
  readonly type: string;
  readonly requestId: string;
  readonly reported: string;
  readonly createdAt: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly reason: string;
  readonly message: string;
  readonly isGone: boolean;
}

export interface DetectionFact {
  readonly namespace: string;
  readonly name: string;
  /** `repository:tag`, as written. */
  readonly image: string;
  readonly digest: string;
  readonly policyNamespace: string;
  readonly policyName: string;
  readonly phase: DetectionPhase;
  readonly detectedAt: string;
  readonly pushedAt: string;
  readonly processedAt: string;
  readonly commit: string;
  readonly files: readonly string[];
  readonly reason: string;
  readonly message: string;
  readonly attempts: number | undefined;
}

/** An ImageResourcePolicy. */
export interface ScanPolicyFact {
  readonly namespace: string;
  readonly name: string;
  readonly ready: boolean | undefined;
  readonly message: string;
  readonly isSuspended: boolean;
  readonly lastScanAt: string;
  readonly repositories: number | undefined;
  readonly images: number | undefined;
  readonly detected: number | undefined;
  readonly templateNamespace: string;
  readonly templateName: string;
}

/** A ResourceTemplate: where it commits to. */
export interface TemplateFact {
  readonly url: string;
  readonly branch: string;
  readonly path: string;
}

export interface ResultFact {
  readonly policy: string;
  readonly rule: string;
  readonly source: string;
  readonly result: ResultStatus;
  readonly severity: string;
  readonly category: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly message: string;
  /** Since the epoch; 0 if unknown. */
  readonly seconds: number;
  /** `namespace/name` of the object, where that is kept anyway. */
  readonly key?: string;
}

export interface ReportFact {
  /** Empty for a ClusterPolicyReport. */
  readonly namespace: string;
  readonly counts: ResultCounts;
  readonly byPolicy: readonly (readonly [policy: string, counts: ResultCounts])[];
  /** Results that fail, warn or are errors. */
  readonly rows: readonly ResultFact[];
}

/** A policy with a problem. */
export interface PolicyFact {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly problem: string;
  readonly message: string;
}

export interface ExceptionFact {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly string[];
}

export interface VulnerabilityFact {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly digest: string;
  readonly scanner: string;
  readonly at: string;
  readonly counts: VulnerabilityCounts;
}

export interface EventFact {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly at: string;
}

export const workloadKey = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`;

const kindsOfGroup: Readonly<Record<string, string>> = {
  Pod: 'v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
};
export const workloadRef = (kind: string, namespace: string, name: string): ObjectRef => ({
  apiVersion: kindsOfGroup[kind] ?? 'apps/v1',
  kind,
  namespace,
  name,
});
