import { imageResourcePolicies, imagesDetected, mirroredImages, ownerLabel, resourceTemplates } from '../api/index.ts';
import { workloadTypes } from '../inventory/index.ts';
import type { Informer, InformerFactory, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { celExceptionType, celPolicyTypes, policyTypes } from '../runtime/index.ts';
import type { Cargo } from './cargo.ts';
import { createInterner } from './fields.ts';
import { detectionFact, scanPolicyFact, templateFact } from './project-pipeline.ts';
import {
  createEventProjection,
  createReportProjection,
  exceptionFact,
  policyFact,
  vulnerabilityFact,
} from './project-reports.ts';
import { createCopyProjection, createJobProjection } from './project-work.ts';
import { createPodProjection, createWorkloadProjection } from './project-workloads.ts';
import type { Sharing } from './sharing.ts';

interface FeedOptions {
  readonly cargo: Cargo;
  readonly informers: InformerFactory;
  readonly installation: string;
  /** Of namespaced kinds only the objects of this namespace. */
  readonly namespace?: string | undefined;
}

/** A watched kind, for the view of the system. */
export type WatchedKind = Pick<Informer<KubeObject, unknown>, 'type' | 'size' | 'hasSynced' | 'failing'>;

const custom = (group: string, version: string, resource: string, kind: string, namespaced = true): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});
const jobs = custom('batch', 'v1', 'jobs', 'Job');
const events = custom('', 'v1', 'events', 'Event');
const reports = [
  custom('wgpolicyk8s.io', 'v1alpha2', 'policyreports', 'PolicyReport'),
  custom('wgpolicyk8s.io', 'v1alpha2', 'clusterpolicyreports', 'ClusterPolicyReport', false),
];
const policies = [policyTypes.clusterPolicy, policyTypes.policy, ...celPolicyTypes];
const exceptions = [policyTypes.exception, celExceptionType];
const vulnerabilityReports = custom(
  'aquasecurity.github.io',
  'v1alpha1',
  'vulnerabilityreports',
  'VulnerabilityReport',
);

/** Keeps the cargo as the cluster is. Kinds that are not served stay empty. */
export function feedCargo({ cargo, informers, installation, namespace }: FeedOptions): readonly WatchedKind[] {
  const watched: WatchedKind[] = [];
  const selection = namespace === undefined ? {} : { namespace };
  const follow = <S>(
    type: ResourceType,
    project: (object: never, key: string) => S,
    put: (key: string, fact: S | undefined, before: S | undefined) => void,
    labelSelector?: string,
  ) => {
    const informer = informers.for<KubeObject, S>(type, {
      ...(type.namespaced ? selection : {}),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      projection: { name: 'dashboard', project: project as (object: KubeObject, key: string) => S },
    });
    informer.addHandler({
      onAdd: ({ key, stored }) => put(key, stored, undefined),
      onUpdate: ({ key, stored, previous }) => put(key, stored, previous),
      onDelete: ({ key, stored }) => put(key, undefined, stored),
    });
    watched.push(informer);
  };
  const sharing: Sharing = {
    intern: createInterner(),
    name: (text) => cargo.images.sharedName(text),
    images: (images) => cargo.images.sharedImages(images),
    digest: (name, digest) => cargo.images.sharedDigest(name, digest),
    key: (kind, key) => cargo.sharedKey(kind, key),
  };
  const owned = `${ownerLabel}=${installation}`;
  // First the copies: then the containers that name them find their source at once.
  follow(mirroredImages, createCopyProjection(sharing), (_, fact, before) => cargo.putCopy(fact, before), owned);
  for (const type of workloadTypes) {
    const { kind } = type;
    // ReplicaSets repeat their Deployment: there are ten for each.
    if (kind === 'ReplicaSet') continue;
    if (kind === 'Pod') follow(type, createPodProjection(sharing), (key, fact) => cargo.putPod(key, fact));
    else follow(type, createWorkloadProjection(kind, sharing), (key, fact) => cargo.putWorkload(kind, key, fact));
  }
  follow(jobs, createJobProjection(sharing), (key, fact) => cargo.putJob(key, fact), owned);
  follow(imagesDetected, detectionFact, (key, fact) => cargo.putDetection(key, fact));
  follow(imageResourcePolicies, scanPolicyFact, (key, fact) => cargo.putScanPolicy(key, fact));
  follow(resourceTemplates, templateFact, (key, fact) => cargo.putTemplate(key, fact));
  const reportFact = createReportProjection(sharing);
  for (const type of reports) follow(type, reportFact, (key, fact) => cargo.putReport(`${type.kind}/${key}`, fact));
  for (const type of policies) follow(type, policyFact, (key, fact) => cargo.putPolicy(`${type.kind}/${key}`, fact));
  for (const type of exceptions)
    follow(type, exceptionFact, (key, fact) => cargo.putException(`${type.group}/${key}`, fact));
  follow(vulnerabilityReports, vulnerabilityFact, (key, fact) => cargo.putVulnerabilities(key, fact));
  follow(events, createEventProjection(installation), (key, fact) => cargo.putEvent(key, fact));
  return watched;
}
