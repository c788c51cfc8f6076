import { isJsonObject, mapConcurrent } from '../../base/index.ts';
import { isKubeError } from '../../kube/index.ts';
import { availableFeatures } from '../features/index.ts';
import { installedTypes } from '../install-objects.ts';
import { clusterRules, namespaceRules, type PolicyRule } from '../install-rbac.ts';
import { type CheckLine, fail, pass, someOf, warn } from './check-line.ts';
import type { Situation } from './situation.ts';

/** The resource attributes of an access review. */
interface Access {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
}

type Ask = (access: Access) => Promise<boolean>;

const reviewsAtOnce = 8;
const name = 'permissions';

export async function checkPermissions(situation: Situation): Promise<readonly CheckLine[]> {
  const { asInstalled, isInstalled, isOwnPod, parts } = situation;
  try {
    if (!asInstalled && !isOwnPod) return [await checkUser(situation)];
    if (asInstalled && !isInstalled)
      return [
        warn(name, 'nothing is installed whose accounts could be checked', 'run it again after supercargo install'),
      ];
    return await Promise.all(
      parts.map(async (part) => {
        const user = `system:serviceaccount:${situation.namespace}:${part.name}`;
        const missing = await missingOf(askFor(situation, isOwnPod ? undefined : user), accessOf(situation, part));
        const check = `permissions ${part.name}`;
        if (missing.length === 0) return pass(check, `it may do all that ${part.features.join(', ')} need`);
        return fail(check, `missing: ${someOf(missing.map(renderAccess))}`, 'apply the installation again');
      }),
    );
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
    return [
      warn(
        name,
        'this API server answers no access reviews',
        'nothing, if it allows every request; otherwise serve authorization.k8s.io/v1',
      ),
    ];
  }
}

/** Whoever installs grants permissions, and Kubernetes lets users grant only what they have themselves. */
async function checkUser(situation: Situation): Promise<CheckLine> {
  const { parts, namespace, isInstalled } = situation;
  const ask = askFor(situation, undefined);
  if (await ask({ verb: '*', group: '*', resource: '*' })) return pass(name, 'you may do everything in this cluster');
  const grants = ['escalate', 'bind'].flatMap((verb) =>
    ['roles', 'clusterroles'].map((resource) => ({ verb, group: 'rbac.authorization.k8s.io', resource })),
  );
  const mayGrant = (await missingOf(ask, grants)).length === 0;
  const missing = await missingOf(ask, [
    ...installAccess(namespace),
    ...(mayGrant ? [] : parts.flatMap((part) => accessOf(situation, part))),
  ]);
  if (missing.length === 0) return pass(name, `you may install ${situation.features.join(', ')}`);
  const found = `you may not install or upgrade: missing ${someOf(missing.map(renderAccess))}`;
  const remedy = 'use an account of an administrator of the cluster, or leave out features';
  return isInstalled ? warn(name, found, remedy) : fail(name, found, remedy);
}

const written = ['get', 'create', 'patch'];

function installAccess(namespace: string): readonly Access[] {
  const types = installedTypes.map((type) => ({
    group: type.group,
    resource: type.resource,
    ...(type.namespaced ? { namespace } : {}),
  }));
  const shared = [
    { group: '', resource: 'namespaces' },
    { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  ];
  return [...shared, ...types].flatMap((one) => written.map((verb) => ({ verb, ...one })));
}

function accessOf(
  { installation, namespace, features, isOwnPod, config }: Situation,
  part: Situation['parts'][number],
): readonly Access[] {
  // A pod does not know which features other parts run. Where they run more, a part may remove fewer webhooks.
  const together = isOwnPod ? availableFeatures : features;
  const secrets = { secret: `${part.name}-webhook`, givenSecret: config.webhook.tls.secretName };
  return [
    ...expandRules(clusterRules(installation, part.features, together)),
    ...expandRules(namespaceRules(installation, part.features, secrets), namespace),
  ];
}

/** One access for each combination that a rule allows. */
export function expandRules(rules: readonly PolicyRule[], namespace?: string): readonly Access[] {
  return rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((text) => {
        const [resource = '', subresource] = text.split('/');
        return verbs.flatMap((verb) =>
          resourceNames.map((one) => ({
            verb,
            group,
            resource,
            ...(subresource === undefined ? {} : { subresource }),
            ...(one === undefined ? {} : { name: one }),
            ...(namespace === undefined ? {} : { namespace }),
          })),
        );
      }),
    ),
  );
}

export function renderAccess({ verb, group, resource, subresource, name: one, namespace }: Access): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${what}${one === undefined ? '' : ` ${one}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

async function missingOf(ask: Ask, wanted: readonly Access[]): Promise<readonly Access[]> {
  const unique = [...new Map(wanted.map((access) => [JSON.stringify(access), access])).values()];
  const allowed = await mapConcurrent(unique, reviewsAtOnce, ask);
  return unique.filter((_, i) => !allowed[i]);
}

/** Asks for the user of the connection, or for a ServiceAccount. */
export function askFor(
  { connection, namespace, signal }: Pick<Situation, 'connection' | 'namespace' | 'signal'>,
  user: string | undefined,
): Ask {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const kind = user === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const apiVersion = 'authorization.k8s.io/v1';
  return async (resourceAttributes) => {
    const spec = { resourceAttributes, ...(user === undefined ? {} : { user, groups }) };
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
    const { value } = await connection.client.raw(path, { post: { apiVersion, kind, spec }, signal });
    const status = isJsonObject(value) ? value['status'] : undefined;
    return isJsonObject(status) && status['allowed'] === true;
  };
}
