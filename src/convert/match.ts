import type { LabelSelector } from '../object/index.ts';
import type { MatchBlock, ResourceFilter } from '../policy/index.ts';
import { and, type Bool, never, not, or, test, testOf } from './bool.ts';
import { hasWildcard, literal, quote, wildcardTest } from './cel-text.ts';
import { commonSchema, type ServedKind, servedKinds } from './kinds.ts';
import { refuse } from './not-convertible.ts';
import { fieldPlace, type Place, rootPlace, valueOr } from './place.ts';
import { isPresent } from './scalar.ts';
import type { TouchedPlaces } from './touched.ts';

interface ConvertedMatch {
  readonly kinds: readonly ServedKind[];
  readonly operations: readonly string[] | undefined;
  /** Beyond kinds and operations. */
  readonly conditions: readonly { readonly name: string; readonly bool: Bool }[];
  readonly namespaceSelector?: LabelSelector;
}

interface RuleBlocks {
  readonly match?: MatchBlock | undefined;
  readonly exclude?: MatchBlock | undefined;
}

/** What a rule is for; throws NotConvertible. */
export function convertMatch({ match, exclude }: RuleBlocks, path: string, touched: TouchedPlaces): ConvertedMatch {
  const { filters, isAll, where } = filtersOf(match ?? {}, `${path}.match`);
  const named = filters.map((one, i) => kindsOf(one, `${path}.match.${where(i)}`));
  const kinds = [...new Set((isAll ? named.filter((one) => one.length > 0).slice(0, 1) : named).flat())];
  if (kinds.length === 0) refuse(`${path}.match`, 'no kind is named');
  if (isAll && named.filter((one) => one.length > 0).length > 1)
    refuse(`${path}.match.all`, 'several filters name kinds');
  const root = rootPlace('object', commonSchema(kinds));
  const isMixed = new Set(kinds.map(({ kind }) => kind)).size > 1;
  const convert = (filter: ResourceFilter, at: string, withKinds: boolean) =>
    convertFilter(filter, {
      root,
      path: at,
      withKinds,
      isNamespaced: kinds.every(({ namespaced }) => namespaced),
      touched,
    });
  const wanted = filters.map((one, i) => convert(one, `${path}.match.${where(i)}`, isMixed && filters.length > 1));
  const conditions = [{ name: 'match', bool: isAll ? and(wanted) : or(wanted) }];
  const out = filtersOf(exclude ?? {}, `${path}.exclude`);
  const excluded = out.filters
    .filter((one) => Object.keys(one).length > 0)
    .map((one, i) => convert(one, `${path}.exclude.${out.where(i)}`, true));
  if (excluded.length > 0) conditions.push({ name: 'exclude', bool: not(out.isAll ? and(excluded) : or(excluded)) });
  return {
    kinds,
    operations: operationsOf(filters, `${path}.match`),
    conditions: conditions.filter(({ bool }) => bool.kind !== 'constant'),
    ...namespaceSelectorOf(filters, `${path}.match`, kinds),
  };
}

function filtersOf(block: MatchBlock, path: string) {
  const { any, all, ...own } = block;
  if (any?.length && all?.length) refuse(path, 'any and all together');
  if (any?.length) return { filters: any, isAll: false, where: (i: number) => `any[${i}]` };
  if (all?.length) return { filters: all, isAll: true, where: (i: number) => `all[${i}]` };
  return { filters: [own], isAll: false, where: () => 'resources' };
}

const kindsOf = ({ resources }: ResourceFilter, path: string) =>
  (resources?.kinds ?? []).flatMap((kind, i) => servedKinds(kind, `${path}.kinds[${i}]`));

function operationsOf(filters: readonly ResourceFilter[], path: string): readonly string[] | undefined {
  const [first, ...others] = filters.map(({ resources }) => resources?.operations);
  if (others.some((one) => String(one) !== String(first))) refuse(path, 'filters with different operations');
  return first?.length ? first : undefined;
}

function namespaceSelectorOf(filters: readonly ResourceFilter[], path: string, kinds: readonly ServedKind[]) {
  const selector = filters.find(({ resources }) => resources?.namespaceSelector)?.resources?.namespaceSelector;
  if (selector === undefined) return {};
  if (filters.length > 1) refuse(path, 'a namespace selector in one of several filters');
  if (kinds.some(({ namespaced }) => !namespaced)) refuse(path, 'a namespace selector for what is in no namespace');
  if (
    Object.entries(selector.matchLabels ?? {})
      .flat()
      .some(hasWildcard)
  )
    refuse(path, 'wildcards in a namespace selector');
  return { namespaceSelector: selector };
}

interface FilterOptions {
  readonly root: Place;
  readonly path: string;
  readonly withKinds: boolean;
  /** Whether every object is in a namespace. */
  readonly isNamespaced: boolean;
  readonly touched: TouchedPlaces;
}

function convertFilter(
  { resources = {}, subjects, roles, clusterRoles }: ResourceFilter,
  options: FilterOptions,
): Bool {
  const { root, path, withKinds, isNamespaced, touched } = options;
  const { kinds, name, names, namespaces, annotations, selector } = resources;
  if (roles?.length || clusterRoles?.length) refuse(path, 'roles are not known to CEL policies');
  const metadata = fieldPlace(root, 'metadata');
  const parts: Bool[] = [];
  if (withKinds && kinds?.length) {
    const known = [...new Set(kinds.flatMap((kind) => servedKinds(kind, path)).map((one) => one.kind))];
    parts.push(
      test(known.length === 1 ? `object.kind == ${quote(known[0] as string)}` : `object.kind in ${literal(known)}`),
    );
  }
  const wantedNames = [...(name ? [name] : []), ...(names ?? [])];
  if (wantedNames.length > 0) {
    touched.add(fieldPlace(metadata, 'name'), ...wantedNames);
    const text = `object.metadata.?name.orValue(object.metadata.?generateName.orValue(''))`;
    parts.push(anyOf(text, wantedNames));
  }
  if (namespaces?.length) {
    touched.add(fieldPlace(metadata, 'namespace'), ...namespaces);
    // Autogen leaves this text alone: a template has no namespace of its own.
    const text = isNamespaced ? 'object.metadata.namespace' : "object.metadata.?namespace.orValue('')";
    parts.push(anyOf(text, namespaces));
  }
  for (const [key, value] of Object.entries(annotations ?? {}))
    parts.push(
      isLabelled(fieldPlace(metadata, 'annotations'), key, value, { ...options, path: `${path}.annotations` }),
    );
  if (selector) parts.push(convertSelector(selector, fieldPlace(metadata, 'labels'), options));
  if (subjects?.length) {
    touched.addSubjects(subjects);
    parts.push(or(subjects.map(convertSubject)));
  }
  return and(parts);
}

const anyOf = (text: string, patterns: readonly string[]): Bool =>
  patterns.length > 1 && !patterns.some(hasWildcard)
    ? test(`${text} in ${literal(patterns)}`)
    : or(patterns.map((one) => testOf(wildcardTest(text, one))));

function isLabelled(labels: Place, key: string, value: string, { path, touched }: FilterOptions): Bool {
  if (hasWildcard(key)) refuse(path, 'a wildcard in a key');
  const place = fieldPlace(labels, key);
  touched.add(place, value);
  if (value === '*') return isPresent(place);
  return test(wildcardTest(valueOr(place, value === '' ? "'-'" : "''"), value));
}

function convertSelector(selector: LabelSelector, labels: Place, options: FilterOptions): Bool {
  const at = { ...options, path: `${options.path}.selector` };
  const required = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => isLabelled(labels, key, value, at));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values: given }): Bool => {
    const values = given ?? [];
    const place = fieldPlace(labels, key);
    options.touched.add(place, ...values);
    const among = test(`${valueOr(place, 'null')} in ${literal(values)}`);
    switch (operator) {
      case 'In':
        return and([isPresent(place), among]);
      case 'NotIn':
        return not(and([isPresent(place), among]));
      case 'Exists':
        return isPresent(place);
      case 'DoesNotExist':
        return not(isPresent(place));
      default:
        return never;
    }
  });
  return and([...required, ...expressions]);
}

function convertSubject({ kind, name, namespace = '' }: { kind: string; name: string; namespace?: string }): Bool {
  switch (kind) {
    case 'ServiceAccount':
      return testOf(wildcardTest('request.userInfo.username', `system:serviceaccount:${namespace}:${name}`));
    case 'User':
      return testOf(wildcardTest('request.userInfo.username', name));
    case 'Group':
      return test(`request.userInfo.groups.exists(g, ${wildcardTest('g', name)})`);
    default:
      return never;
  }
}
