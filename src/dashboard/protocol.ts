/**
 * The answers of the dashboard's API as types; docs/dashboard.md describes the requests. All answers are JSON, all
 * requests GET, except for `/api/session`. Texts come from clusters and registries: they are data and never markup.
 * Fields are added and never changed. Times are RFC 3339.
 */

/** Every answer with a status of 400 or more. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

/**
 * `unauthenticated` (401): no session, or an expired one; the stream must not be retried. `starting` (503): the first
 * lists are not complete. `too-many` (429): retry after the time of the header Retry-After.
 */
export type ErrorCode =
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'invalid'
  | 'method'
  | 'too-large'
  | 'too-many'
  | 'starting'
  | 'unavailable'
  | 'internal';

/**
 * `/api/session`: GET, or POST with `{"token": "…"}`, which sets a cookie, and DELETE, which removes it. A link of
 * `supercargo up` or `supercargo dashboard` has the token in its fragment: `#token=…`.
 */
export interface Session {
  readonly user: string;
  /** `link`: the token of the link; `token`: a bearer token of the cluster. */
  readonly method: 'link' | 'token';
  readonly version: string;
  /** The name of the cluster or of its context; empty if unknown. */
  readonly cluster: string;
  /** Features that run in this program. */
  readonly features: readonly string[];
  readonly access: Access;
  /** False while first lists are missing: answers may be incomplete. */
  readonly isComplete: boolean;
  /** For the header Last-Event-ID of the first stream: it then tells what changed since this answer. */
  readonly lastEventId: string;
}

/** A kind of object that has a permission of its own: who may not list it gets no row, no count and no event of it. */
export type ShownKind =
  | 'pods'
  | 'jobs'
  | 'policyreports'
  | 'imagedetecteds'
  | 'mirroredimages'
  | 'events'
  | 'vulnerabilityreports';

export interface Access {
  /** Kinds that the user may list in every namespace. */
  readonly everywhere: readonly ShownKind[];
  /** For other kinds: the namespaces in which the user may list them, sorted. */
  readonly namespaces: Readonly<Partial<Record<ShownKind, readonly string[]>>>;
}

/**
 * One page of a list. `?limit=` (1 to 500, 200 by default) and either `?cursor=` of the last page or `?offset=`. A
 * cursor stays valid when rows come and go.
 */
export interface Page<Row> {
  readonly items: readonly Row[];
  /** Rows that the user may see. */
  readonly total: number;
  /** Rows that pass the filter. */
  readonly matched: number;
  /** The place of the first item among the matched rows. */
  readonly offset: number;
  /** The next page; absent on the last one. */
  readonly cursor?: string;
}

/** The first rows of a list that has an own view. */
export interface Some<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/**
 * The identity of an image: source repository with digest or tag, in full: `docker.io/library/nginx:1.25`. A workload
 * that runs the copy of an image runs the image.
 */
export type ImageId = string;

/** `none`: no copy was asked for. */
export type CopyState = 'none' | 'pending' | 'copying' | 'copied' | 'failed';
export type ResultStatus = 'pass' | 'fail' | 'warn' | 'error' | 'skip';
export type ResultCounts = Readonly<Record<ResultStatus, number>>;
export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'info';
export type JobState = 'pending' | 'running' | 'succeeded' | 'failed';
export type JobCounts = Readonly<Record<JobState, number>>;
export type DetectionPhase = 'pending' | 'processing' | 'completed' | 'failed';

export interface VulnerabilityCounts {
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly unknown: number;
}

/** One value of a filter, with the number of rows that have it. */
export interface Facet {
  readonly name: string;
  readonly count: number;
}

// ---- V1: GET /api/overview?q=

/** A part is absent if the user may list its kind nowhere. */
export interface Overview {
  readonly images: { readonly total: number; readonly running: number; readonly registries: readonly Facet[] };
  readonly copies?: CopyCounts;
  readonly results?: ResultCounts;
  readonly jobs?: JobCounts;
  readonly detections?: Readonly<Record<DetectionPhase, number>>;
  /** Over all images with a report; absent if there is no report. */
  readonly vulnerabilities?: VulnerabilityCounts;
  /** The most serious first. */
  readonly attention: Some<Attention>;
  /** The last hour, the newest first; with `q` only what has all of its words. */
  readonly activity: Some<Activity>;
}

export interface CopyCounts {
  readonly pending: number;
  readonly copying: number;
  readonly copied: number;
  readonly failed: number;
  /** Of these: used by no workload. */
  readonly unused: number;
}

export interface Attention {
  readonly kind:
    | 'pull-failed'
    | 'copy-failed'
    | 'tag-moved'
    | 'policy-not-ready'
    | 'detection-failed'
    | 'job-failed'
    | 'sync-failed';
  readonly level: 'error' | 'warning';
  /** What it is about, for example an image or `ClusterPolicy/x`. */
  readonly subject: string;
  readonly message: string;
  readonly at?: string;
  readonly image?: ImageId;
  readonly object?: ObjectRef;
  /** The number of equal cases that this one stands for, such as pods of one image. */
  readonly count: number;
}

export interface Activity {
  readonly kind:
    | 'detected'
    | 'committed'
    | 'copied'
    | 'copy-failed'
    | 'job-started'
    | 'job-succeeded'
    | 'job-failed'
    | 'started'
    | 'synced'
    | 'sync-failed'
    /** A Kubernetes event; `reason` is its reason, such as PolicyViolation. */
    | 'event';
  readonly at: string;
  readonly message: string;
  readonly reason?: string;
  readonly image?: ImageId;
  readonly object?: ObjectRef;
}

// ---- V2: GET /api/images?q=&ns=&registry=&copy=&result=&running=&pull=&sort=&order=

/**
 * Filters, all optional and combined with "and"; several values of one are separated by commas: `q` (every word is a
 * part of the name, tag, digest or namespace), `ns`, `registry`, `copy` (CopyState), `result` (ResultStatus),
 * `running=true` (only images with workloads), `pull=failed`, `vuln=critical|high`, `repository` (exact).
 */
export type ImageSort = 'name' | 'workloads' | 'pods' | 'copy' | 'results' | 'vulnerabilities' | 'seen';
export type SortOrder = 'asc' | 'desc';

export interface ImageRow {
  readonly id: ImageId;
  /** With its registry: `ghcr.io/team/web`. */
  readonly repository: string;
  readonly registry: string;
  readonly tag?: string;
  readonly digest?: string;
  readonly namespaces: number;
  readonly workloads: number;
  readonly pods: number;
  readonly copy: CopyState;
  /** Why the copy failed. */
  readonly copyMessage?: string;
  readonly jobs?: JobCounts;
  /** Of the workloads that run it; without `pass` and `skip`. */
  readonly results?: Readonly<Record<'fail' | 'warn' | 'error', number>>;
  readonly vulnerabilities?: VulnerabilityCounts;
  readonly commit?: { readonly sha: string; readonly at?: string };
  /** Why pods cannot start it: `ImagePullBackOff`, … */
  readonly pullProblem?: string;
  /** The digest to which the tag of the source moved after the copy. */
  readonly movedTo?: string;
  /** The last change of anything in this row, in any namespace: absent for users who may not list all of that. */
  readonly seenAt?: string;
}

/** GET /api/images. `facets` are over all rows that the user may see, whatever the filter; at most 200 of each. */
export interface ImagesAnswer extends Page<ImageRow> {
  readonly facets: {
    readonly namespaces: readonly Facet[];
    readonly registries: readonly Facet[];
    readonly copies: readonly Facet[];
    readonly results: readonly Facet[];
  };
}

// ---- V3: GET /api/image?id=

export interface ImageAnswer {
  readonly image: ImageRow;
  readonly life: readonly LifeStage[];
  readonly runs: Some<Run>;
  readonly copies: Some<CopyRow>;
  readonly jobs: Some<JobRow>;
  readonly results: Some<ResultRow>;
  readonly detections: Some<DetectionRow>;
  readonly vulnerabilityReports: Some<VulnerabilityReportRow>;
  readonly events: Some<EventRow>;
  /** Other tags and digests of the repository here. */
  readonly tags: Some<ImageRow>;
  /** Kinds that the user may not list: their parts are empty. */
  readonly hidden: readonly ShownKind[];
}

export interface LifeStage {
  readonly stage: 'pushed' | 'detected' | 'committed' | 'admitted' | 'copied' | 'running' | 'job' | 'reported';
  /** `none`: it does not happen to this image, or is not known. `detail` says why. */
  readonly state: 'done' | 'active' | 'failed' | 'none';
  readonly at?: string;
  readonly detail: string;
}

/** A container of a workload that runs the image, with the pods of the workload. */
export interface Run {
  readonly workload: ObjectRef;
  readonly container: string;
  /** The image as the workload's author wrote it. */
  readonly writtenAs: string;
  /** The image of the container now: differs where it was replaced by the copy. */
  readonly image: string;
  readonly pods: Some<RunPod>;
}

export interface RunPod {
  readonly name: string;
  readonly node?: string;
  /** `repository@digest`, as the node pulled it. */
  readonly imageId?: string;
  readonly state: 'running' | 'waiting' | 'terminated' | 'unknown';
  /** Why it waits or ended: `ImagePullBackOff`, `Completed`, … */
  readonly reason?: string;
  readonly message?: string;
}

export interface EventRow {
  readonly object: ObjectRef;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly at?: string;
}

export interface VulnerabilityReportRow {
  readonly object: ObjectRef;
  readonly scanner: string;
  readonly at?: string;
  readonly counts: VulnerabilityCounts;
}

// ---- V4: GET /api/copies?q=&state=&registry=&unused=true  → CopiesAnswer

export interface CopiesAnswer extends Page<CopyRow> {
  readonly counts: CopyCounts;
}

export interface CopyRow {
  /** The name of the MirroredImage. */
  readonly name: string;
  readonly image: ImageId;
  readonly source: string;
  readonly copy: string;
  readonly state: CopyState;
  readonly digest?: string;
  readonly sourceDigest?: string;
  readonly bytesTotal?: number;
  readonly bytesCopied?: number;
  readonly attempts?: number;
  readonly message?: string;
  readonly createdAt?: string;
  readonly copiedAt?: string;
  readonly checkedAt?: string;
  readonly unusedSince?: string;
}

// ---- V5: GET /api/pipeline?ns=&q=  → PipelineAnswer;  GET /api/detections?q=&ns=&phase=&policy=&image=  → Page<DetectionRow>

export interface PipelineAnswer extends Page<PipelinePolicy> {
  readonly counts: Readonly<Record<DetectionPhase, number>>;
}

export interface PipelinePolicy {
  readonly namespace: string;
  readonly name: string;
  readonly ready?: boolean;
  readonly message?: string;
  readonly isSuspended: boolean;
  readonly lastScanAt?: string;
  readonly repositories?: number;
  readonly images?: number;
  readonly detected?: number;
  readonly template: { readonly namespace: string; readonly name: string };
  /** Where the template commits to; no credentials. */
  readonly git?: { readonly url: string; readonly branch?: string; readonly path?: string };
}

export interface DetectionRow {
  readonly namespace: string;
  readonly name: string;
  readonly image: ImageId;
  readonly digest: string;
  readonly policy: { readonly namespace: string; readonly name: string };
  readonly phase: DetectionPhase;
  readonly detectedAt?: string;
  readonly pushedAt?: string;
  readonly processedAt?: string;
  readonly commit?: string;
  readonly files: readonly string[];
  /** Why nothing was committed: `AlreadyDeployed`, … */
  readonly reason?: string;
  readonly message?: string;
  readonly attempts?: number;
  readonly git?: { readonly url: string; readonly branch?: string; readonly path?: string };
}

// ---- V6: GET /api/results/groups?by=namespace|policy|severity  → ResultGroups;
//          GET /api/results?q=&ns=&policy=&result=&severity=&source=&image=  → Page<ResultRow>, results that do not pass

export interface ResultGroups {
  readonly by: 'namespace' | 'policy' | 'severity';
  readonly total: ResultCounts;
  readonly groups: readonly ResultGroup[];
  /** Policies that are not ready, or do not work. */
  readonly policies: readonly PolicyProblemRow[];
  readonly exceptions: Some<ExceptionRow>;
}

/** `pass` and `skip` are 0 for severities: reports only count them as a whole. */
export interface ResultGroup {
  /** Empty for cluster-scoped objects, and for results without severity. */
  readonly name: string;
  readonly counts: ResultCounts;
}

export interface ResultRow {
  readonly policy: string;
  readonly rule: string;
  readonly source: string;
  readonly result: ResultStatus;
  readonly severity?: Severity;
  readonly category?: string;
  readonly resource: ObjectRef;
  readonly message: string;
  readonly at?: string;
  /** The images of the resource. */
  readonly images: readonly ImageId[];
}

export interface PolicyProblemRow {
  readonly policy: ObjectRef;
  readonly reason: string;
  readonly message: string;
}

export interface ExceptionRow {
  readonly object: ObjectRef;
  /** `policy/rule`, or `policy/*`; `ValidatingPolicy/policy/*` of a kind that consists of expressions. */
  readonly rules: readonly string[];
}

// ---- V7: GET /api/jobs?q=&ns=&state=&origin=  → JobsAnswer

export interface JobsAnswer extends Page<JobRow> {
  readonly counts: JobCounts;
}

export interface JobRow {
  readonly namespace: string;
  readonly name: string;
  /** `generated` by a policy, or asked for by Fairwinds Insights. */
  readonly origin: 'generated' | 'on-demand';
  readonly state: JobState;
  readonly image?: ImageId;
  /** generated: `policy/rule`. */
  readonly madeBy?: string;
  /** generated: the object it was made for. */
  readonly trigger?: ObjectRef;
  /** on-demand: the type, such as `trivy`, and the id at Insights. */
  readonly type?: string;
  readonly requestId?: string;
  /** on-demand: what Insights was told; absent while it was told nothing. */
  readonly reported?: string;
  readonly createdAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly reason?: string;
  readonly message?: string;
  /** The Job object no longer exists. */
  readonly isGone: boolean;
}

// ---- V8: GET /api/system

export interface SystemAnswer {
  readonly version: string;
  readonly kubernetes: string;
  readonly installation: string;
  readonly namespace: string;
  /** This program's. */
  readonly features: readonly string[];
  readonly replicas: readonly ReplicaRow[];
  readonly leases: readonly LeaseRow[];
  readonly watches: readonly WatchRow[];
  /** The certificate authority of the webhooks. */
  readonly authority?: { readonly expiresAt: string };
  /** The newest first; at most 20. */
  readonly syncRuns: readonly SyncRunRow[];
  /** The configuration without secrets, as YAML; absent for users who may not list pods everywhere. */
  readonly configuration?: string;
  /** Of the dashboard itself. */
  readonly memory: { readonly images: number; readonly heapBytes: number; readonly streams: number };
}

export interface ReplicaRow {
  readonly name: string;
  readonly node?: string;
  readonly ready: boolean;
  readonly startedAt?: string;
}

export interface LeaseRow {
  readonly name: string;
  /** The feature that is led, such as `report`. */
  readonly group: string;
  readonly holder?: string;
  readonly renewedAt?: string;
}

export interface WatchRow {
  readonly kind: string;
  readonly objects: number;
  readonly isSynced: boolean;
  /** Why it cannot be read. */
  readonly problem?: string;
  /** The cluster does not have the kind, and need not: it is one of another program. */
  readonly isAbsent?: true;
}

export interface SyncRunRow {
  readonly at: string;
  readonly outcome: 'succeeded' | 'failed' | 'incomplete' | 'not-run';
  readonly isDryRun: boolean;
  readonly durationMs: number;
  readonly applied: number;
  readonly updated: number;
  readonly removed: number;
  readonly failed: number;
  readonly rolledBack: number;
  readonly unchanged: number;
  /** The first failures. */
  readonly failures: readonly string[];
}

// ---- GET /api/explain?policy=&rule=&apiVersion=&kind=&namespace=&name=

/** Why a rule decided as it did on the object as it is now. */
export interface ExplainAnswer {
  readonly policy: string;
  readonly rule: string;
  readonly result: ResultStatus;
  readonly message: string;
  readonly tree: ExplainNode;
}

export interface ExplainNode {
  readonly label: string;
  readonly status: 'pass' | 'fail' | 'error' | 'skip' | 'info';
  readonly detail?: string;
  readonly children: readonly ExplainNode[];
}

// ---- GET /api/events: Server-Sent Events

/**
 * `event: hello` after the connection: everything before it may have been missed unless `isResumed` (the stream
 * continues after the header Last-Event-ID).
 */
export interface HelloMessage {
  readonly isResumed: boolean;
  readonly heartbeatMs: number;
}

/** The views whose answers may have changed. */
export type ChangedView = 'overview' | 'images' | 'copies' | 'pipeline' | 'results' | 'jobs' | 'system';

/**
 * `event: change`, at most one per 500 ms. Only what the user may see. A comment is sent every 15 s; without any data
 * for 45 s the connection is dead.
 */
export interface ChangeMessage {
  readonly views: readonly ChangedView[];
  /** Changed images; absent if there are too many: then any image may have changed. */
  readonly images?: readonly ImageId[];
}
