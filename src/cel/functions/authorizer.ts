import { validateDnsLabel, validateDnsSubdomain } from '../../object/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { boolType, opaqueType, stringType } from '../types.ts';
import { CelError, CelOpaque } from '../values/values.ts';
import { declare, member } from './declare.ts';

/** What an expression asks of the authorizer. */
export interface AccessQuestion {
  readonly user: string;
  readonly verb: string;
  /** Of a question about a path; the other fields are of one about a resource. */
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

type Authorize = (question: AccessQuestion) => AccessDecision;
type Part = 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector';

const typed = (name: string) => opaqueType(`kubernetes.authorization.${name}`);

export const authorizerType = typed('Authorizer');
const pathCheckType = typed('PathCheck');
const groupCheckType = typed('GroupCheck');
export const resourceCheckType = typed('ResourceCheck');
const decisionType = typed('Decision');

export const authorizerTypes = [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType];

/** Values of these types can be asked, and compared with none. */
abstract class Receiver extends CelOpaque {
  readonly size = 1;
  equals(other: unknown): boolean | undefined {
    return other instanceof Receiver ? this === other : undefined;
  }
}

/** The variable `authorizer`: who asks, and who decides. */
export class CelAuthorizer extends Receiver {
  readonly typeName = authorizerType.name;
  constructor(
    readonly authorize: Authorize,
    readonly user: string,
  ) {
    super();
  }
  serviceAccount(namespace: string, name: string): CelAuthorizer | CelError {
    if (validateDnsSubdomain(name).length > 0) return new CelError('Invalid service account name');
    if (validateDnsLabel(namespace).length > 0) return new CelError('Invalid service account namespace');
    return new CelAuthorizer(this.authorize, `system:serviceaccount:${namespace}:${name}`);
  }
  /** The variable `authorizer.requestResource`. */
  resource(question: Omit<AccessQuestion, 'user' | 'verb'>): CelResourceCheck {
    return new CelResourceCheck(this, question);
  }
}

class CelPathCheck extends Receiver {
  readonly typeName = pathCheckType.name;
  constructor(
    readonly authorizer: CelAuthorizer,
    readonly path: string,
  ) {
    super();
  }
}

class CelGroupCheck extends Receiver {
  readonly typeName = groupCheckType.name;
  constructor(
    readonly authorizer: CelAuthorizer,
    readonly group: string,
  ) {
    super();
  }
}

class CelResourceCheck extends Receiver {
  readonly typeName = resourceCheckType.name;
  constructor(
    readonly authorizer: CelAuthorizer,
    readonly question: Omit<AccessQuestion, 'user' | 'verb'>,
  ) {
    super();
  }
  with(part: Part, value: string): CelResourceCheck {
    return new CelResourceCheck(this.authorizer, { ...this.question, [part]: value });
  }
}

class CelDecision extends Receiver {
  readonly typeName = decisionType.name;
  constructor(readonly decision: AccessDecision) {
    super();
  }
}

const ask = ({ authorize, user }: CelAuthorizer, question: Omit<AccessQuestion, 'user'>) =>
  new CelDecision(authorize({ user, ...question }));

const refine = (name: Part, overload: string) =>
  declare(
    name,
    member(overload, [resourceCheckType, stringType], resourceCheckType, (check: CelResourceCheck, value: string) =>
      check.with(name, value),
    ),
  );

/** Questions about what a user may do. Only admission has the variable that answers them. */
export const authorizerFunctions: readonly FunctionDecl[] = [
  declare(
    'path',
    member('authorizer_path', [authorizerType, stringType], pathCheckType, (authorizer: CelAuthorizer, path: string) =>
      path.trim() === '' ? new CelError('path must not be empty') : new CelPathCheck(authorizer, path),
    ),
  ),
  declare(
    'group',
    member(
      'authorizer_group',
      [authorizerType, stringType],
      groupCheckType,
      (authorizer: CelAuthorizer, group: string) => new CelGroupCheck(authorizer, group),
    ),
  ),
  declare(
    'serviceAccount',
    member(
      'authorizer_serviceaccount',
      [authorizerType, stringType, stringType],
      authorizerType,
      (authorizer: CelAuthorizer, namespace: string, name: string) => authorizer.serviceAccount(namespace, name),
    ),
  ),
  declare(
    'resource',
    member(
      'groupcheck_resource',
      [groupCheckType, stringType],
      resourceCheckType,
      ({ authorizer, group }: CelGroupCheck, resource: string) =>
        resource.trim() === ''
          ? new CelError('resource must not be empty')
          : new CelResourceCheck(authorizer, { group, resource }),
    ),
  ),
  refine('subresource', 'resourcecheck_subresource'),
  refine('namespace', 'resourcecheck_namespace'),
  refine('name', 'resourcecheck_name'),
  refine('fieldSelector', 'authorizer_fieldselector'),
  refine('labelSelector', 'authorizer_labelselector'),
  declare(
    'check',
    member(
      'pathcheck_check',
      [pathCheckType, stringType],
      decisionType,
      ({ authorizer, path }: CelPathCheck, verb: string) => ask(authorizer, { path, verb }),
    ),
    member(
      'resourcecheck_check',
      [resourceCheckType, stringType],
      decisionType,
      ({ authorizer, question }: CelResourceCheck, verb: string) => ask(authorizer, { ...question, verb }),
    ),
  ),
  declare(
    'allowed',
    member('decision_allowed', [decisionType], boolType, ({ decision }: CelDecision) => decision.allowed),
  ),
  declare(
    'reason',
    member('decision_reason', [decisionType], stringType, ({ decision }: CelDecision) => decision.reason),
  ),
  declare(
    'errored',
    member('decision_errored', [decisionType], boolType, ({ decision }: CelDecision) => decision.error !== undefined),
  ),
  declare(
    'error',
    member('decision_error', [decisionType], stringType, ({ decision }: CelDecision) => decision.error ?? ''),
  ),
];
