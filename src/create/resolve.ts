import {
  allowsReferenceFrom,
  type ImageDetected,
  type ImageResourcePolicy,
  type ResourceTemplate,
} from '../api/index.ts';
import { CreateError } from './errors.ts';

export interface Lookups {
  /** By `namespace/name`; undefined if it does not exist. */
  readonly policyOf: (key: string) => ImageResourcePolicy | undefined;
  readonly templateOf: (key: string) => ResourceTemplate | undefined;
}

export interface Resolved {
  readonly policy: ImageResourcePolicy;
  readonly template: ResourceTemplate;
}

/** The policy and the template of a detection; throws CreateError if one is missing or may not be used. */
export function resolve({ metadata, spec }: ImageDetected, { policyOf, templateOf }: Lookups): Resolved {
  const own = metadata.namespace ?? 'default';
  const { name, namespace = own } = spec.sourcePolicy;
  if (namespace !== own)
    throw new CreateError(
      'create-access-denied',
      `spec.sourcePolicy: ImageResourcePolicy ${namespace}/${name} is in another namespace than the detection`,
    );
  const policy = policyOf(`${namespace}/${name}`);
  if (!policy)
    throw new CreateError(
      'create-policy-missing',
      `ImageResourcePolicy ${namespace}/${name} does not exist (any more)`,
    );
  const key = templateKeyOf(policy);
  const template = templateOf(key);
  // Without a grant the error does not say whether the template exists.
  if (key.startsWith(`${own}/`) ? !template : !template || !allowsReferenceFrom(template, own)) {
    if (key.startsWith(`${own}/`))
      throw new CreateError('create-template-missing', `ResourceTemplate ${key} does not exist`);
    throw new CreateError(
      'create-access-denied',
      `ResourceTemplate ${key} does not allow references from the namespace ${own}: its annotation automation.gitops.io/allow-from-namespaces has to name it`,
    );
  }
  return { policy, template: template! };
}

/** `namespace/name` of the template that a policy names. */
export function templateKeyOf({ metadata, spec }: ImageResourcePolicy): string {
  const { name, namespace = metadata.namespace ?? 'default' } = spec.templateRef;
  return `${namespace}/${name}`;
}
