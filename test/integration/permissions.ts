/** What a program asks of an API server, held against the rules of its role. */
import type { KubeConnection, ListOptions, ResourceType } from '../../src/kube/index.ts';

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface RecordedRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** The same client, with a note of what each call asks of the API server's permissions. */
export function recording(client: KubeConnection, requests: RecordedRequest[]): KubeConnection {
  type Place = { readonly namespace?: string | undefined; readonly name?: string | undefined };
  type Part = { readonly subresource?: string | undefined };
  /** Notes the call and answers the client to make it. */
  const as = (verb: string, { group, resource }: ResourceType, at: Place = {}, part: Part = {}): KubeConnection => {
    const whole = part.subresource === undefined ? resource : `${resource}/${part.subresource}`;
    requests.push({ verb, group, resource: whole, namespace: at.namespace, name: at.name });
    return client;
  };
  const selected = (options: ListOptions = {}) => ({
    namespace: options.namespace,
    name: /^metadata\.name=(.*)$/.exec(options.fieldSelector ?? '')?.[1],
  });
  return {
    ...client,
    get: (type, key, options) => as('get', type, key).get(type, key, options),
    list: (type, options) => as('list', type, selected(options)).list(type, options),
    pages: (type, options) => as('list', type, selected(options)).pages(type, options),
    watch: (type, options) => as('watch', type, selected(options)).watch(type, options),
    create: (type, object, options) =>
      as('create', type, { namespace: object.metadata.namespace }, options).create(type, object, options),
    replace: (type, object, options) => as('update', type, object.metadata, options).replace(type, object, options),
    patch: (type, key, patch, options) => as('patch', type, key, options).patch(type, key, patch, options),
    apply: (type, object, options) => as('patch', type, object.metadata, options).apply(type, object, options),
    delete: (type, key, options) => as('delete', type, key).delete(type, key, options),
    deleteCollection: (type, selection, options) =>
      as('deletecollection', type, selection).deleteCollection(type, selection, options),
  };
}

export const allows = (rule: Rule, { verb, group, resource, name }: RecordedRequest) =>
  rule.verbs.includes(verb) &&
  rule.apiGroups.includes(group) &&
  rule.resources.includes(resource) &&
  (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name)));

/** The verbs that rules grant and no request used, as `patch deployments.apps`. */
export function idleVerbs(rules: readonly Rule[], requests: readonly RecordedRequest[]): readonly string[] {
  return rules.flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        rule.verbs
          .filter(
            (verb) =>
              !requests.some((r) => r.verb === verb && r.group === group && r.resource === resource && allows(rule, r)),
          )
          .map((verb) => `${verb} ${resource}.${group}`),
      ),
    ),
  );
}
