import { anyField, type ReadPath } from '../jmespath/index.ts';

/**
 * What a rule may read in addition to the object, from its parsed expressions and match blocks. An over-approximation: an
 * expression that takes the whole request reads every part of it.
 */
export interface RuleReads {
  /** The user: subjects and roles of a filter, `request.userInfo`, the service account. */
  readonly user: boolean;
  /** The user is read explicitly, not only as part of the whole request: the rule needs an admission request. */
  readonly namedUser: boolean;
  /** The roles that are bound to the user. */
  readonly roles: boolean;
  readonly oldObject: boolean;
  readonly operation: boolean;
  /** Other data that only an admission request has: its options, whether it is a dry run. */
  readonly options: boolean;
  /** The status of the object. */
  readonly status: boolean;
  /** The labels of the object's namespace. */
  readonly namespaceLabels: boolean;
  /** More of the object's namespace than its name and labels. */
  readonly namespace: boolean;
  /** Something outside the request: ConfigMaps, API calls, image data, global context, targets, clone sources. */
  readonly lookUps: boolean;
}

export type ReadPart = keyof RuleReads;

const readParts = [
  'user',
  'namedUser',
  'roles',
  'oldObject',
  'operation',
  'options',
  'status',
  'namespaceLabels',
  'namespace',
  'lookUps',
] as const satisfies readonly ReadPart[];

export function readsOf(parts: Iterable<ReadPart>): RuleReads {
  const found = new Set(parts);
  return Object.fromEntries(readParts.map((part) => [part, found.has(part)])) as unknown as RuleReads;
}

const userParts: readonly ReadPart[] = ['user', 'namedUser'];
const roleParts: readonly ReadPart[] = [...userParts, 'roles'];
const wholeRequest: readonly ReadPart[] = ['user', 'roles', 'oldObject', 'operation', 'options', 'status'];

/** The parts that a path from the scope of a rule reads. */
export function partsOfScope([root, field, below]: ReadPath): readonly ReadPart[] {
  switch (root) {
    case undefined:
    case anyField:
      return wholeRequest;
    case 'serviceAccountName':
    case 'serviceAccountNamespace':
      return userParts;
    case 'request':
      return partsOfRequest(field, below);
    default:
      return [];
  }
}

function partsOfRequest(field: string | undefined, below: string | undefined): readonly ReadPart[] {
  switch (field) {
    case undefined:
    case anyField:
      return wholeRequest;
    case 'userInfo':
      return userParts;
    case 'roles':
    case 'clusterRoles':
      return roleParts;
    case 'operation':
      return ['operation'];
    case 'options':
    case 'dryRun':
      return ['options'];
    case 'object':
      return partsOfObject(below);
    case 'oldObject':
      return ['oldObject', ...partsOfObject(below)];
    default:
      return [];
  }
}

function partsOfObject(field: string | undefined): readonly ReadPart[] {
  return field === undefined || field === anyField || field === 'status' ? ['status'] : [];
}

/** The parts that a path reads in the value that an assertion tree is compared with. */
export function partsOfAssertion([root, field]: ReadPath): readonly ReadPart[] {
  switch (root) {
    case undefined:
    case anyField:
      return [...wholeRequest, 'namespaceLabels'];
    case 'object':
      return partsOfObject(field);
    case 'oldObject':
      return ['oldObject', ...partsOfObject(field)];
    case 'operation':
      return ['operation'];
    case 'namespaceLabels':
      return ['namespaceLabels'];
    case 'admissionInfo':
      return field === 'admissionUserInfo' ? userParts : roleParts;
    default:
      return [];
  }
}
