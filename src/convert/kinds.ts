import { guessPlural, parseKindSelector } from '../policy/index.ts';
import { builtinData, builtinSchemaOf, objectMetaSchema, type Schema } from '../schema/index.ts';
import { hasWildcard } from './cel-text.ts';
import { refuse } from './not-convertible.ts';

/** A kind as the API server serves it. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Not built in: plural and scope are guesses. */
  readonly isGuessed?: boolean;
}

const anything = (pattern: string, value: string) => pattern === '*' || pattern === value;

/** The built-in resources that a kind selector of a policy names. */
export function servedKinds(selector: string, path: string): readonly ServedKind[] {
  const parsed = parseKindSelector(selector);
  if (parsed === undefined) return refuse(path, `${selector} is no kind`);
  const { group, version, kind, subresource } = parsed;
  if (subresource !== '') return refuse(path, 'subresources are not converted');
  if (hasWildcard(kind) || [group, version].some((one) => one !== '*' && hasWildcard(one)))
    return refuse(path, `${selector} has a wildcard: name the kinds`);
  const found = builtinData.resources.filter(
    (one) => one.kind === kind && anything(group, one.group) && anything(version, one.version),
  );
  if (found.length > 0) return found;
  if (!group.includes('.')) return refuse(path, `${selector} is not built in: name its group and version`);
  return [{ group, version, kind, resource: guessPlural(kind), namespaced: true, isGuessed: true }];
}

interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

/** One rule for each group and version. */
export function resourceRules(kinds: readonly ServedKind[], operations: readonly string[]): readonly ResourceRule[] {
  const rules = new Map<string, { group: string; version: string; resources: Set<string> }>();
  for (const { group, version, resource } of kinds) {
    const key = `${group}/${version}`;
    const rule = rules.get(key) ?? { group, version, resources: new Set<string>() };
    rules.set(key, rule);
    rule.resources.add(resource);
  }
  return [...rules.values()].map(({ group, version, resources }) => ({
    apiGroups: [group],
    apiVersions: [version],
    operations,
    resources: [...resources],
  }));
}

const metadataOnly: Schema = { properties: { metadata: objectMetaSchema } };

/** The schema of the objects: of several kinds what they have in common, of what is not built in the metadata alone. */
export function commonSchema(kinds: readonly ServedKind[]): Schema {
  const schemas = [...new Map(kinds.map((kind) => [kind.kind, builtinSchemaOf(kind)])).values()];
  const [first, ...others] = schemas;
  if (first === undefined || others.some((one) => one === undefined)) return metadataOnly;
  return (others as readonly Schema[]).reduce((common, one) => inCommon(common, one), first);
}

/** A field is known where it is the same in both. */
function inCommon(a: Schema, b: Schema): Schema {
  if (a === b || (a.definition !== undefined && a.definition === b.definition)) return a;
  if (!a.properties || !b.properties)
    return a.type !== undefined && a.type === b.type && a.definition === b.definition && !a.items ? a : {};
  const properties = Object.entries(a.properties).flatMap(([key, own]) => {
    const other = b.properties?.[key];
    return other ? [[key, inCommon(own, other)] as const] : [];
  });
  const required = (a.required ?? []).filter((key) => b.required?.includes(key));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}
