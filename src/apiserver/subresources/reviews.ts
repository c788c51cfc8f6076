import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { type GroupVersionKind, renderApiVersion } from '../../object/index.ts';
import type { UserInfo } from '../operations/context.ts';

/** Who a token belongs to; undefined when it is not known. */
export type Authenticate = (token: string) => UserInfo | undefined;

const notChecked = 'the embedded cluster does not check permissions';

/** Kinds that are asked, not stored: each answers with its own status. Undefined for a kind that is none of them. */
export function answerReview(
  type: GroupVersionKind,
  body: unknown,
  user: UserInfo,
  authenticate: Authenticate,
): JsonObject | undefined {
  const sent = isJsonObject(body) ? body : {};
  const spec = isJsonObject(sent['spec']) ? sent['spec'] : {};
  const status = reviewStatus(type.kind, spec, user, authenticate);
  return (
    status && {
      kind: type.kind,
      apiVersion: renderApiVersion(type),
      metadata: { creationTimestamp: null },
      spec,
      status,
    }
  );
}

function reviewStatus(
  kind: string,
  spec: JsonObject,
  user: UserInfo,
  authenticate: Authenticate,
): JsonObject | undefined {
  switch (kind) {
    case 'SelfSubjectAccessReview':
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      return { allowed: true, reason: notChecked };
    case 'SelfSubjectRulesReview':
      return {
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        incomplete: false,
      };
    case 'SelfSubjectReview':
      return { userInfo: user as unknown as JsonObject };
    case 'TokenReview': {
      const found = authenticate(String(spec['token'] ?? ''));
      return found
        ? { authenticated: true, user: found as unknown as JsonObject }
        : { authenticated: false, error: 'unknown token' };
    }
    default:
      return undefined;
  }
}
