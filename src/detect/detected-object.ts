import { type ImageDetected, type ImageResourcePolicy, imagesDetected, ownerLabel } from '../api/index.ts';
import { rfc3339 } from '../base/index.ts';
import { keyOf, renderApiVersion } from '../object/index.ts';
import { clashingName, type DetectedIdentity, detectedName, imageNameOf } from './detected-name.ts';
import type { ChosenImage } from './scan.ts';

export interface DetectedOptions {
  readonly policy: ImageResourcePolicy;
  readonly image: ChosenImage;
  readonly installation: string;
  readonly nowMs: number;
}

function identityOf({ policy, image }: Pick<DetectedOptions, 'policy' | 'image'>): DetectedIdentity {
  const { registry, repository, tag, digest } = image;
  return { policy: keyOf(policy), registry, repository, tag, digest };
}

/** The ImageDetected object, under its plain name or the one for a clash. */
export function detectedObject(options: DetectedOptions, hasClash: boolean): ImageDetected {
  const { policy, image, installation, nowMs } = options;
  const { registry, repository, tag, digest, prefix, pushedAtMs } = image;
  const { name: policyName = '', namespace = 'default' } = policy.metadata;
  const identity = identityOf(options);
  return {
    apiVersion: renderApiVersion(imagesDetected),
    kind: imagesDetected.kind,
    metadata: {
      name: hasClash ? clashingName(identity) : detectedName(identity),
      namespace,
      labels: { [ownerLabel]: installation },
    },
    spec: {
      imageName: imageNameOf(repository),
      imageTag: tag,
      imageDigest: digest,
      fullImageName: `${registry}/${repository}:${tag}`,
      registry,
      repository,
      ...(prefix === undefined ? {} : { tagPrefix: prefix }),
      sourcePolicy: { name: policyName, namespace },
      detectedAt: rfc3339(nowMs),
      ...(pushedAtMs === undefined ? {} : { pushedAt: rfc3339(pushedAtMs) }),
      ttlDays: policy.spec.ttlDays ?? 7,
    },
  };
}

/** Whether an existing object is for the same detection. */
export function isSameDetection(object: ImageDetected, options: DetectedOptions): boolean {
  const { spec } = object;
  const { policy, image } = options;
  return (
    spec.fullImageName === `${image.registry}/${image.repository}:${image.tag}` &&
    spec.imageDigest === image.digest &&
    spec.sourcePolicy.name === policy.metadata.name &&
    (spec.sourcePolicy.namespace ?? object.metadata.namespace) === policy.metadata.namespace
  );
}
