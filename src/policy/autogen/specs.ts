import type { KindSpec, MatchConstraints, ResourceRule } from '../kinds/types.ts';

/** A policy for Pods, derived for the controllers that make Pods, as these kinds do it: by their text. */

interface AutogenSpec extends KindSpec {
  readonly autogen?: { readonly podControllers?: { readonly controllers?: readonly string[] } };
}

/** A kind that a derived spec is for. */
interface AutogenTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

/** A spec that is derived, under the name that the status of its policy shows it by. */
export interface DerivedSpec<Spec> {
  readonly name: 'defaults' | 'cronjobs';
  readonly targets: readonly AutogenTarget[];
  readonly spec: Spec;
}

interface Form {
  readonly name: 'defaults' | 'cronjobs';
  /** Where the template of the Pod is. */
  readonly template: string;
  readonly controllers: readonly AutogenTarget[];
}

const controller = (group: string, resource: string, kind: string): AutogenTarget => ({
  group,
  version: 'v1',
  resource,
  kind,
});

const forms: readonly Form[] = [
  {
    name: 'defaults',
    template: 'spec.template',
    controllers: [
      controller('apps', 'daemonsets', 'DaemonSet'),
      controller('apps', 'deployments', 'Deployment'),
      controller('apps', 'replicasets', 'ReplicaSet'),
      controller('apps', 'statefulsets', 'StatefulSet'),
      controller('batch', 'jobs', 'Job'),
    ],
  },
  {
    name: 'cronjobs',
    template: 'spec.jobTemplate.spec.template',
    controllers: [controller('batch', 'cronjobs', 'CronJob')],
  },
];

/** The specs that are derived: for controllers with a template, and for CronJobs. None for a policy not just for Pods. */
export function derivedSpecs<Spec extends AutogenSpec>(spec: Spec): readonly DerivedSpec<Spec>[] {
  return derive(spec, (template) => JSON.parse(intoTemplate(JSON.stringify(spec), template)) as Spec);
}

/** The same for mutations: only conditions and apply configurations are rewritten, and an `Object{…}` is moved. */
export function derivedMutations<Spec extends MutationsSpec>(spec: Spec): readonly DerivedSpec<Spec>[] {
  return derive(spec, (template) => ({
    ...spec,
    ...(spec.matchConditions && {
      matchConditions: spec.matchConditions.map((condition) => ({
        ...condition,
        expression: moveMutation(condition.expression, template),
      })),
    }),
    mutations: (spec.mutations ?? []).map((mutation) => {
      const { applyConfiguration } = mutation;
      if (!applyConfiguration) return mutation;
      return { ...mutation, applyConfiguration: { expression: moveMutation(applyConfiguration.expression, template) } };
    }),
  }));
}

interface MutationsSpec extends AutogenSpec {
  readonly mutations?: readonly { readonly applyConfiguration?: { readonly expression: string } }[];
}

function moveMutation(expression: string, template: string): string {
  const moved = expression
    .replace(/\b(object|oldObject|Object)\.spec/g, `$1.${template}.spec`)
    .replace(/\b(object|oldObject|Object)\.metadata\.(labels|annotations)/g, `$1.${template}.metadata.$2`);
  const [, opening = '', rest = ''] = /^(Object[ \t\r\n]*\{)(.*)$/s.exec(moved.trim()) ?? [];
  const end = opening === '' ? 0 : closingBrace(rest);
  if (end <= 0) return moved;
  const fields = template.split('.');
  let wrapper = 'Object{';
  for (const [i, field] of fields.entries()) wrapper += `${field}: Object.${fields.slice(0, i + 1).join('.')}{`;
  return `${wrapper}${rest.slice(0, end)}${'}'.repeat(fields.length + 1)}${rest.slice(end + 1)}`;
}

/** Where the brace that was open before the text is closed. */
function closingBrace(text: string): number {
  let open = 1;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') open++;
    else if (text[i] === '}' && --open === 0) return i;
  }
  return -1;
}

function derive<Spec extends AutogenSpec>(spec: Spec, move: (template: string) => Spec): readonly DerivedSpec<Spec>[] {
  const { matchConstraints, autogen } = spec;
  if (!matchConstraints || !isForPods(matchConstraints)) return [];
  const chosen = autogen?.podControllers?.controllers;
  return forms.flatMap(({ name, template, controllers }) => {
    const targets = controllers.filter(({ resource }) => !chosen || chosen.includes(resource));
    if (targets.length === 0) return [];
    return [
      { name, targets, spec: { ...move(template), matchConstraints: constraintsFor(targets, matchConstraints) } },
    ];
  });
}

/** Exactly Pods, whatever they are called: labels and names of a Pod differ from those of its controller. */
function isForPods({ resourceRules = [], excludeResourceRules = [], objectSelector }: MatchConstraints): boolean {
  const [rule, ...others] = resourceRules;
  const isOnly = (values: readonly string[] | undefined, value: string) => values?.length === 1 && values[0] === value;
  const selects =
    Object.keys(objectSelector?.matchLabels ?? {}).length > 0 || (objectSelector?.matchExpressions ?? []).length > 0;
  return (
    rule !== undefined &&
    others.length === 0 &&
    excludeResourceRules.length === 0 &&
    !selects &&
    isOnly(rule.apiGroups, '') &&
    isOnly(rule.apiVersions, 'v1') &&
    isOnly(rule.resources, 'pods') &&
    !rule.resourceNames?.length
  );
}

function constraintsFor(
  targets: readonly AutogenTarget[],
  { resourceRules = [], namespaceSelector, matchPolicy }: MatchConstraints,
): MatchConstraints {
  const groups = [...new Set(targets.map(({ group }) => group))];
  const { operations = [] } = resourceRules[0] ?? {};
  return {
    ...(matchPolicy ? { matchPolicy } : {}),
    ...(namespaceSelector ? { namespaceSelector } : {}),
    resourceRules: groups.map(
      (group): ResourceRule => ({
        apiGroups: [group],
        apiVersions: ['v1'],
        operations,
        resources: targets.filter((target) => target.group === group).map(({ resource }) => resource),
      }),
    ),
  };
}

/** Both of the object and of the old one, in messages too; a template has no namespace of its own. */
function intoTemplate(text: string, template: string): string {
  return text
    .replace(/(object|oldObject)\.spec(?!\.namespace\b)/g, `$1.${template}.spec`)
    .replace(/(object|oldObject)\.metadata(?!\.namespace\b)/g, `$1.${template}.metadata`);
}
