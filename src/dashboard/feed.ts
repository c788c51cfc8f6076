import {
  imageResourcePolicies,
  imagesDetected,
  type MirroredImage,
  mirroredImages,
  ownerLabel,
  resourceTemplates,
} from '../api/index.ts';
import { podInformer, workloadInformer, workloadTypes } from '../inventory/index.ts';
import type { Informer, InformerFactory, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Cargo } from './cargo.ts';
import { detectionFact, scanPolicyFact, templateFact } from './project-pipeline.ts';
import {
  createEventProjection,
  createReportProjection,
  exceptionFact,
  policyFact,
  vulnerabilityFact,
} from './project-reports.ts';
import { copyFact, jobFact } from './project-work.ts';

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
const policies = [
  custom('kyverno.io', 'v1', 'clusterpolicies', 'ClusterPolicy', false),
  custom('kyverno.io', 'v1', 'policies', 'Policy'),
];
const exceptions = custom('kyverno.io', 'v2', 'policyexceptions', 'PolicyException');
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
    project: (object: never) => S,
    put: (key: string, fact: S | undefined) => void,
    labelSelector?: string,
  ) => {
    const informer = informers.for<KubeObject, S>(type, {
      ...(type.namespaced ? selection : {}),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      projection: { name: 'dashboard', project: project as (object: KubeObject) => S },
    });
    informer.addHandler({
      onAdd: ({ key, stored }) => put(key, stored),
      onUpdate: ({ key, stored }) => put(key, stored),
      onDelete: ({ key }) => put(key, undefined),
    });
    watched.push(informer);
  };
  const owned = `${ownerLabel}=${installation}`;
  // First the copies: then the containers that name them find their source at once.
  follow(
    mirroredImages,
    (image: MirroredImage) => copyFact(image),
    (key, fact) => cargo.putCopy(key, fact),
    owned,
  );
  for (const type of workloadTypes) {
    // Pods have a form of their own, and ReplicaSets repeat their Deployment: there are ten for each.
    if (type.kind === 'Pod' || type.kind === 'ReplicaSet') continue;
    const informer = workloadInformer(informers, type, namespace);
    const { kind } = type;
    informer.addHandler({
      onAdd: ({ stored: { metadata, images } }) => cargo.putWorkload({ kind, ...metadata, images }),
      onUpdate: ({ stored: { metadata, images } }) => cargo.putWorkload({ kind, ...metadata, images }),
      onDelete: ({ stored: { metadata } }) => cargo.removeWorkload({ kind, ...metadata }),
    });
    watched.push(informer);
  }
  const pods = podInformer(informers, namespace);
  pods.addHandler({
    onAdd: ({ key, stored }) => cargo.putPod(key, stored),
    onUpdate: ({ key, stored }) => cargo.putPod(key, stored),
    onDelete: ({ key }) => cargo.putPod(key, undefined),
  });
  watched.push(pods);
  follow(jobs, jobFact, (key, fact) => cargo.putJob(key, fact), owned);
  follow(imagesDetected, detectionFact, (key, fact) => cargo.putDetection(key, fact));
  follow(imageResourcePolicies, scanPolicyFact, (key, fact) => cargo.putScanPolicy(key, fact));
  follow(resourceTemplates, templateFact, (key, fact) => cargo.putTemplate(key, fact));
  const reportFact = createReportProjection();
  for (const type of reports) follow(type, reportFact, (key, fact) => cargo.putReport(`${type.kind}/${key}`, fact));
  for (const type of policies) follow(type, policyFact, (key, fact) => cargo.putPolicy(`${type.kind}/${key}`, fact));
  follow(exceptions, exceptionFact, (key, fact) => cargo.putException(key, fact));
  follow(vulnerabilityReports, vulnerabilityFact, (key, fact) => cargo.putVulnerabilities(key, fact));
  follow(events, createEventProjection(installation), (key, fact) => cargo.putEvent(key, fact));
  return watched;
}
