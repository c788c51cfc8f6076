import { type KubeObject, labelSelectorOf } from '../../object/index.ts';
import type { FilterExplanation } from '../match/index.ts';
import { type MatchedKind, type PolicyRequest, resourceOf, subjectOf } from '../request.ts';
import type { MatchConstraints, ResourceRule } from './types.ts';

/** `matchConstraints`, compiled: what a policy is for, in the words of the API server's webhook configurations. */
export interface ConstraintMatcher {
  mayMatchKind(kind: MatchedKind, subresource: string): boolean;
  operationsOn(kind: MatchedKind, subresource: string): ReadonlySet<string>;
  /** Whether a rule names the resource of the kind, and not every resource. */
  namesKind(kind: MatchedKind): boolean;
  /** Why the request does not match; undefined when it does. */
  mismatchReason: Mismatch;
  /** The same for requests about one kind: what the kind decides is decided. */
  mismatchReasonFor?(kind: MatchedKind, subresource: string): Mismatch;
  explain(request: PolicyRequest): readonly FilterExplanation[];
  readonly operations: ReadonlySet<string>;
}

type Mismatch = (request: PolicyRequest) => string | undefined;
type Part = 'apiGroups' | 'apiVersions' | 'resources' | 'operations' | 'scope' | 'resourceNames';
type Test = (request: PolicyRequest) => boolean;

interface Rule {
  readonly rule: ResourceRule;
  readonly parts: readonly (readonly [part: Part, test: Test])[];
}

/** Without constraints nothing matches. The policy of a namespace is only for objects of it. */
export function compileConstraints(
  constraints: MatchConstraints | undefined,
  policyNamespace: string,
): ConstraintMatcher {
  const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector } = constraints ?? {};
  const rules = resourceRules.map(compileRule);
  const excluded = excludeResourceRules.map(compileRule);
  const inNamespace = namespaceSelector && compileNamespaceSelector(namespaceSelector);
  const selects = objectSelector && compileObjectSelector(objectSelector);
  const mismatch =
    (wanted: readonly (readonly Test[])[], unwanted: readonly (readonly Test[])[]): Mismatch =>
    (request) => {
      if (request.payload) return 'the policy is for objects of the cluster';
      if (policyNamespace !== '' && namespaceNameOf(request) !== policyNamespace)
        return 'the policy is for another namespace';
      if (inNamespace && !inNamespace(request)) return 'namespace selector does not match';
      if (selects && !selects(request)) return 'object selector does not match';
      if (matchesAny(unwanted, request)) return 'excluded';
      return matchesAny(wanted, request) ? undefined : 'no resource rule matches';
    };
  return {
    mayMatchKind: (kind, subresource) =>
      resourceRules.some((rule) => namesKind(rule, kind, subresource, resourceOf(kind))),
    operationsOn: (kind, subresource) =>
      new Set(
        resourceRules
          .filter((rule) => namesKind(rule, kind, subresource, resourceOf(kind)))
          .flatMap(({ operations = [] }) => (operations.includes('*') ? allOperations : operations)),
      ),
    namesKind: (kind) => resourceRules.some(({ resources = [] }) => resources.includes(resourceOf(kind))),
    mismatchReason: mismatch(rules.map(allTests), excluded.map(allTests)),
    mismatchReasonFor: (kind, subresource) =>
      mismatch(testsBeyondKind(rules, kind, subresource), testsBeyondKind(excluded, kind, subresource)),
    operations: new Set(resourceRules.flatMap(({ operations = [] }) => operations.filter((name) => name !== '*'))),
    explain: (request) => [
      ...rules.map((rule, i) => explainRule(`match.any[${i}]`, rule, request)),
      ...excluded.map((rule, i) => explainRule(`exclude.any[${i}]`, rule, request)),
      ...(namespaceSelector
        ? [selectorPart('namespaceSelector', namespaceSelector, labelsOfNamespace(request), inNamespace?.(request))]
        : []),
      ...(objectSelector
        ? [selectorPart('objectSelector', objectSelector, subjectOf(request)?.metadata.labels, selects?.(request))]
        : []),
    ],
  };
}

const allOperations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

const isNamespace = ({ kind }: PolicyRequest) => kind.kind === 'Namespace' && kind.group === '';
const namespaceNameOf = (request: PolicyRequest) =>
  isNamespace(request) ? '' : (subjectOf(request)?.metadata.namespace ?? '');

const includes = (wanted: readonly string[] | undefined, value: string) =>
  wanted !== undefined && (wanted.includes('*') || wanted.includes(value));

/** `pods` is not `pods/exec`; a star before the slash is every resource, one behind it every subresource and none. */
function namesResource(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  for (const wanted of resources ?? []) {
    const slash = wanted.indexOf('/');
    const [name, sub] = slash < 0 ? [wanted, ''] : [wanted.slice(0, slash), wanted.slice(slash + 1)];
    if ((name === '*' || name === resource) && (sub === '*' || sub === subresource)) return true;
  }
  return false;
}

const namesKind = (rule: ResourceRule, kind: MatchedKind, subresource: string, resource: string) =>
  includes(rule.apiGroups, kind.group) &&
  includes(rule.apiVersions, kind.version) &&
  namesResource(rule.resources, resource, subresource);

function compileRule(rule: ResourceRule): Rule {
  const { apiGroups, apiVersions, resources, operations, resourceNames = [], scope = '*' } = rule;
  const parts: (readonly [Part, Test])[] = [
    ['apiGroups', ({ kind }) => includes(apiGroups, kind.group)],
    ['apiVersions', ({ kind }) => includes(apiVersions, kind.version)],
    ['resources', (request) => namesResource(resources, resourceOf(request.kind), request.subresource)],
    ['operations', operationTest(operations)],
  ];
  if (scope !== '*') {
    parts.push(['scope', (request) => (namespaceNameOf(request) === '') === (scope === 'Cluster')]);
  }
  if (resourceNames.length > 0) parts.push(['resourceNames', (request) => isNamed(resourceNames, request)]);
  return { rule, parts };
}

/** An object whose name is yet to be made up counts by the beginning that it will have. */
function isNamed(names: readonly string[], request: PolicyRequest): boolean {
  const { name, generateName } = subjectOf(request)?.metadata ?? {};
  if (name) return names.includes(name);
  return Boolean(generateName) && names.some((wanted) => wanted.startsWith(generateName as string));
}

function operationTest(operations: readonly string[] = []): Test {
  const isAny = operations.includes('*');
  const wanted = new Set(operations);
  return ({ operation }) => isAny || wanted.has(operation);
}

const allTests = ({ parts }: Rule): readonly Test[] => parts.map(([, test]) => test);

/** What is left to ask of the rules that name a kind. */
function testsBeyondKind(rules: readonly Rule[], kind: MatchedKind, subresource: string): readonly (readonly Test[])[] {
  return rules
    .filter(({ rule }) => namesKind(rule, kind, subresource, resourceOf(kind)))
    .map(({ parts }) => parts.filter(([part]) => !partsOfKind.has(part)).map(([, test]) => test));
}

const partsOfKind: ReadonlySet<Part> = new Set(['apiGroups', 'apiVersions', 'resources']);

function matchesAny(rules: readonly (readonly Test[])[], request: PolicyRequest): boolean {
  for (let i = 0; i < rules.length; i++) {
    const tests = rules[i] as readonly Test[];
    let holds = true;
    for (let t = 0; holds && t < tests.length; t++) holds = (tests[t] as Test)(request);
    if (holds) return true;
  }
  return false;
}

/** What is in no namespace always matches; a Namespace is judged by its own labels. */
function compileNamespaceSelector(selector: NonNullable<MatchConstraints['namespaceSelector']>): Test {
  const matchesLabels = labelSelectorOf(selector);
  return (request) => {
    if (!isNamespace(request) && namespaceNameOf(request) === '') return true;
    return matchesLabels(labelsOfNamespace(request));
  };
}

/** Every namespace carries its name as a label, whatever else is known of it. */
function labelsOfNamespace(request: PolicyRequest): Readonly<Record<string, string>> {
  const own = isNamespace(request);
  const labels = own ? (subjectOf(request)?.metadata.labels ?? {}) : request.namespaceLabels;
  const name = own ? subjectOf(request)?.metadata.name : namespaceNameOf(request);
  return name ? { 'kubernetes.io/metadata.name': name, ...labels } : labels;
}

/** The new object or the old one. */
function compileObjectSelector(selector: NonNullable<MatchConstraints['objectSelector']>): Test {
  const isEmpty =
    Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) return () => true;
  const matchesLabels = labelSelectorOf(selector);
  const hasLabels = (object: KubeObject | undefined) => object !== undefined && matchesLabels(object.metadata.labels);
  return ({ object, oldObject }) => hasLabels(object) || hasLabels(oldObject);
}

function explainRule(where: string, { rule, parts }: Rule, request: PolicyRequest): FilterExplanation {
  const explained = parts.map(([part, test]) => ({
    field: part,
    wanted: rule[part],
    found: foundFor(part, request),
    matches: test(request),
  }));
  return { where, matches: explained.every((part) => part.matches), parts: explained };
}

function foundFor(part: Part, request: PolicyRequest): unknown {
  const { kind, subresource, operation } = request;
  switch (part) {
    case 'apiGroups':
      return kind.group;
    case 'apiVersions':
      return kind.version;
    case 'resources':
      return subresource === '' ? resourceOf(request.kind) : `${resourceOf(request.kind)}/${subresource}`;
    case 'operations':
      return operation;
    case 'scope':
      return namespaceNameOf(request) === '' ? 'Cluster' : 'Namespaced';
    case 'resourceNames':
      return subjectOf(request)?.metadata.name ?? subjectOf(request)?.metadata.generateName;
  }
}

const selectorPart = (field: string, wanted: unknown, found: unknown, matched = false): FilterExplanation => ({
  where: `match.all[${field}]`,
  matches: matched,
  parts: [{ field, wanted, found, matches: matched }],
});
