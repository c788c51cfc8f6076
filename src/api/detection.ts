import type { Condition, KubeObject } from '../object/index.ts';

/** The name of a custom resource in URLs. */
const automation = (resource: string, kind: string) => ({
  group: 'automation.gitops.io',
  version: 'v1beta1',
  resource,
  kind,
  namespaced: true,
});

export const imageResourcePolicies = automation('imageresourcepolicies', 'ImageResourcePolicy');
export const resourceTemplates = automation('resourcetemplates', 'ResourceTemplate');
export const imagesDetected = automation('imagedetecteds', 'ImageDetected');

interface NameRef {
  readonly name: string;
}

interface NamespacedRef extends NameRef {
  readonly namespace?: string;
}

/** The fields of both sources; the API server has filled in their defaults. */
interface RepositorySource {
  readonly repositoryPattern?: string;
  readonly imageNamePattern?: string;
  readonly imagePattern?: string;
  readonly maxRepositories?: number;
  readonly maxConcurrentScans?: number;
  readonly scanTimeout?: string;
}

interface EcrRepository extends RepositorySource {
  readonly region: string;
  readonly registryId?: string;
  /** Another address of the ECR API: a private link, or a test server. Roles are assumed at the address of STS. */
  readonly endpoint?: string;
}

interface OciRepository extends RepositorySource {
  readonly registry: string;
  readonly secretRef?: NameRef;
  readonly certSecretRef?: NameRef;
  readonly insecure?: boolean;
}

export interface ImageResourcePolicySpec {
  readonly ecrRepository?: EcrRepository;
  readonly ociRepository?: OciRepository;
  readonly policy: {
    readonly perRepository?: boolean;
    readonly semver?: { readonly range: string };
    readonly alphabetical?: { readonly order?: 'asc' | 'desc' };
    readonly pattern?: { readonly regex: string; readonly extractPrefix?: boolean };
  };
  readonly templateRef: NamespacedRef;
  readonly aws?: { readonly roleArn?: string; readonly secretRef?: NameRef };
  readonly interval?: string;
  readonly ttlDays?: number;
  readonly suspend?: boolean;
}

export interface LastDetected {
  readonly repository: string;
  readonly prefix?: string;
  readonly tag: string;
  readonly digest: string;
  readonly pushedAt?: string;
  readonly createdAt?: string;
  readonly detectedAt: string;
}

/** The tags that earlier scans listed, as hashes: any other tag was pushed since. */
export interface SeenTags {
  /** The selection rule that was in use. */
  readonly selection: string;
  readonly repositories: readonly { readonly repository: string; readonly tags: string }[];
}

export interface ImageResourcePolicy extends KubeObject {
  readonly spec: ImageResourcePolicySpec;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly lastScanTime?: string;
    readonly repositories?: number;
    readonly images?: number;
    readonly detected?: number;
    readonly lastDetected?: readonly LastDetected[];
    readonly seenTags?: SeenTags;
    readonly conditions?: readonly Condition[];
  };
}

interface GitRepository {
  readonly url: string;
  readonly branch?: string;
  readonly path?: string;
  readonly secretRef?: NameRef;
  readonly commitMessage?: string;
  readonly author?: { readonly name?: string; readonly email?: string };
}

export interface ResourceTemplate extends KubeObject {
  readonly spec: {
    readonly template?: string;
    readonly multiFiles?: readonly { readonly relativePath: string; readonly template: string }[];
    readonly gitRepository: GitRepository;
    readonly variables?: Readonly<Record<string, string>>;
    readonly duplicateCheck?: 'repository' | 'exact' | 'baseName';
    readonly validation?: { readonly dryRun?: boolean };
    /** `Kind`, `group/Kind`, `group/*` or `*`; anything but cluster-scoped built-in kinds when left out. */
    readonly allowedKinds?: readonly string[];
    /** Accepts ImageDetected objects that the detect feature did not write. */
    readonly allowExternalDetections?: boolean;
  };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

export interface ImageDetected extends KubeObject {
  readonly spec: {
    readonly imageName: string;
    readonly imageTag: string;
    readonly imageDigest: string;
    readonly fullImageName: string;
    readonly registry?: string;
    readonly repository?: string;
    readonly tagPrefix?: string;
    readonly sourcePolicy: NamespacedRef;
    readonly detectedAt: string;
    readonly pushedAt?: string;
    readonly ttlDays?: number;
  };
  readonly status?: {
    readonly phase?: 'Pending' | 'Processing' | 'Completed' | 'Failed';
    readonly resourceCreated?: boolean;
    readonly gitCommitSHA?: string;
    readonly files?: readonly string[];
    readonly processedAt?: string;
    readonly message?: string;
    readonly attempts?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * On a ResourceTemplate or Secret: the other namespaces that may refer to it, separated by commas, or `*`. Without it a
 * reference from another namespace is refused.
 */
export const allowFromAnnotation = 'automation.gitops.io/allow-from-namespaces';

export function allowsReferenceFrom(target: Pick<KubeObject, 'metadata'>, namespace: string): boolean {
  if (target.metadata.namespace === namespace) return true;
  const allowed = (target.metadata.annotations?.[allowFromAnnotation] ?? '').split(',').map((name) => name.trim());
  return allowed.includes('*') || allowed.includes(namespace);
}
