import { customResourceDefinitions } from '../../api/index.ts';
import { sharedLabels } from '../install-objects.ts';
import { type InstallTemplate, installation, namespace, text } from './scope.ts';

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];

interface Kind {
  readonly group: string;
  readonly plural: string;
}

/** Those of namespaces, and copies. Roles for policies of the whole cluster are the administrator's own. */
const kinds: readonly Kind[] = customResourceDefinitions('').flatMap((definition) => {
  const { group, scope, names } = definition['spec'] as {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string };
  };
  return scope === 'Namespaced' || group === 'supercargo.dev' ? [{ group, plural: names.plural }] : [];
});

/** Rules for these kinds, one for each group. */
const rulesFor = (chosen: readonly Kind[], verbs: readonly string[]) =>
  [...new Set(chosen.map(({ group }) => group))].map((group) => ({
    apiGroups: [group],
    resources: chosen.filter((kind) => kind.group === group).map(({ plural }) => plural),
    verbs,
  }));

const isPolicy = ({ group }: Kind) => group === 'kyverno.io' || group === 'policies.kyverno.io';
const isAutomation = ({ group, plural }: Kind) => group === 'automation.gitops.io' && plural !== 'imagedetecteds';

/** What users of the cluster roles view, edit and admin may do with our kinds; each includes the one before. */
const rules = {
  view: rulesFor(kinds, read),
  edit: rulesFor(kinds.filter(isAutomation), write),
  admin: rulesFor(kinds.filter(isPolicy), write),
};

/** Detections, copies and reports are written by the program alone. */
export const userRoles: readonly InstallTemplate[] = Object.entries(rules).map(([role, allowed]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {
    name: text`${installation}:${namespace}:aggregate-to-${{ helm: JSON.stringify(role), read: () => role }}`,
    labels: sharedLabels({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' }),
  },
  rules: allowed,
}));
