import { isJsonObject } from '../../base/index.ts';
import { parseAnchor } from '../../policy/index.ts';
import { always, and, type Bool, or, renderBool, test } from '../bool.ts';
import { hasWildcard } from '../cel-text.ts';
import type { ExpressionScope } from '../expression.ts';
import { refuse } from '../not-convertible.ts';
import { convertPattern, needsValue, passes } from '../pattern.ts';
import { elementPlace, fieldPlace, type Place, valueOr } from '../place.ts';
import { convertScalar, isPresent } from '../scalar.ts';
import type { Edit } from './edit.ts';

interface Merged {
  /** Undefined where the patch only has conditions. */
  readonly edit: Edit | undefined;
  /** Whether the whole patch applies. */
  readonly condition: Bool;
}

/** A `patchStrategicMerge` with its anchors; throws NotConvertible. */
export function convertMerge(patch: unknown, root: Place, scope: ExpressionScope, path: string): Merged {
  if (!isJsonObject(patch)) return refuse(path, 'a map is expected');
  return new MergeConverter(scope).convertMap(patch, root, path);
}

class MergeConverter {
  constructor(private readonly scope: ExpressionScope) {}

  convertMap(patch: Readonly<Record<string, unknown>>, place: Place, path: string): Merged {
    const conditions: Bool[] = [];
    const fields = new Map<string, Edit>();
    for (const [raw, value] of Object.entries(patch)) {
      const at = `${path}.${raw}`;
      const anchor = parseAnchor(raw);
      const key = anchor?.key ?? raw;
      if (key === '$patch' || key === '$retainKeys') refuse(at, 'directives of merges are not converted');
      if (key.includes('{{') || (anchor && hasWildcard(key))) refuse(at, 'a key with variables or wildcards');
      const child = fieldPlace(place, key);
      switch (anchor?.kind) {
        case undefined: {
          const merged = this.convertValue(value, child, at);
          conditions.push(merged.condition);
          if (merged.edit) fields.set(key, merged.edit);
          break;
        }
        case 'add':
          fields.set(key, this.convertAddition(value, child, at));
          break;
        case 'condition':
        case 'global':
          conditions.push(this.convertCondition(value, child, at));
          break;
        default:
          refuse(at, 'this anchor has no meaning in a patch');
      }
    }
    const isEmpty = fields.size === 0 && Object.keys(patch).length > 0;
    return {
      edit: isEmpty ? undefined : { kind: 'map', fields, ifAbsent: false },
      condition: and(conditions),
    };
  }

  private convertValue(value: unknown, place: Place, path: string): Merged {
    if (isJsonObject(value)) return this.convertMap(value, place, path);
    if (Array.isArray(value)) return this.convertList(value, place, path);
    this.scope.touched.add(place, value);
    if (value === null) return { edit: { kind: 'remove' }, condition: always };
    return { edit: { kind: 'set', value, ifAbsent: false, path }, condition: always };
  }

  /** `+(key)`: a map below may have additions of its own, which then all apply. */
  private convertAddition(value: unknown, place: Place, path: string): Edit {
    this.scope.touched.add(place, ...(typeof value === 'object' ? [] : [value]));
    return { kind: 'set', value: withoutAdditions(value, path), ifAbsent: true, path };
  }

  private convertCondition(value: unknown, place: Place, path: string): Bool {
    if (Array.isArray(value) || (isJsonObject(value) && Object.keys(value).length > 0))
      return refuse(path, 'a condition on a map or list is not converted');
    if (isJsonObject(value)) {
      this.scope.touched.add(place);
      return isPresent(place);
    }
    this.scope.touched.add(place, value);
    const isMet = convertScalar(value, place, path);
    return needsValue(value) ? isMet : and([isPresent(place), isMet]);
  }

  private convertList(list: readonly unknown[], place: Place, path: string): Merged {
    const mergeKey = place.schema?.['x-kubernetes-patch-merge-key'];
    const hasAnchors = containsAnchor(list);
    if (mergeKey === undefined || list.length === 0) {
      if (list.length === 1 && containsAnchor(list[0], 'global')) return this.convertGlobal(list[0], place, path);
      if (hasAnchors) refuse(path, 'conditions in a list whose elements have no name');
      if (place.schema?.['x-kubernetes-patch-strategy'] === 'merge') refuse(path, 'a list that is a set');
      this.scope.touched.add(elementPlace(place), ...list);
      return { edit: { kind: 'set', value: list, ifAbsent: false, path }, condition: always };
    }
    if (!hasAnchors) return { edit: this.convertElements(list, place, mergeKey, path), condition: always };
    const [first, ...others] = list;
    if (others.length > 0) return refuse(path, 'several elements with conditions');
    if (containsAnchor(first, 'global')) return this.convertGlobal(first, place, path);
    return { edit: this.convertEach(first, place, mergeKey, `${path}[0]`), condition: always };
  }

  private convertElements(list: readonly unknown[], place: Place, key: string, path: string): Edit {
    const element = elementPlace(place);
    const elements = list.map((one, i) => {
      const at = `${path}[${i}]`;
      if (!isJsonObject(one) || typeof one[key] !== 'string') return refuse(at, `an element without ${key}`);
      this.scope.touched.add(fieldPlace(element, key), one[key]);
      const { edit } = this.convertMap(one, element, at);
      return { key, id: one[key], edit: edit as Extract<Edit, { kind: 'map' }>, path: at };
    });
    return { kind: 'elements', elements };
  }

  /** One element with conditions: it stands for all that meet them. */
  private convertEach(one: unknown, place: Place, key: string, path: string): Edit {
    if (!isJsonObject(one)) return refuse(path, 'a map is expected');
    if (key !== 'name') return refuse(path, 'only elements with names are selected by conditions');
    const element = elementPlace(place);
    this.scope.touched.add(fieldPlace(element, key));
    const { edit, condition } = this.convertMap(one, element, path);
    if (edit?.kind !== 'map') return refuse(path, 'nothing is changed in the elements');
    return { kind: 'each', element, condition, edit, key, isDescending: false, isRequired: false };
  }

  private touch(pattern: Readonly<Record<string, unknown>>, place: Place): void {
    for (const [key, below] of Object.entries(pattern)) {
      const child = fieldPlace(place, key);
      this.scope.touched.add(child, below);
      if (isJsonObject(below)) this.touch(below, child);
    }
  }

  /** A global condition on elements: one of them must meet it. */
  private convertGlobal(one: unknown, place: Place, path: string): Merged {
    if (!isJsonObject(one)) return refuse(path, 'a map is expected');
    const pattern = withoutGlobal(one, path);
    const element = elementPlace(place);
    this.touch(pattern, element);
    const met = passes(convertPattern(pattern, element, path, this.scope.touched));
    const list = valueOr(place, '[]');
    const isMet = or([
      test(`size(${list}) == 0`, `size(${list}) > 0`),
      met.kind === 'constant' ? met : test(`${list}.exists(${element.variable}, ${renderBool(met)})`),
    ]);
    return { edit: undefined, condition: and([isPresent(place), isMet]) };
  }
}

function containsAnchor(value: unknown, kind?: string): boolean {
  if (Array.isArray(value)) return value.some((item) => containsAnchor(item, kind));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, below]) => {
    const anchor = parseAnchor(key)?.kind;
    return (anchor !== undefined && (kind === undefined || anchor === kind)) || containsAnchor(below, kind);
  });
}

/** What was to be added is added whole. */
function withoutAdditions(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, i) => withoutAdditions(item, `${path}[${i}]`));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([raw, below]) => {
      const anchor = parseAnchor(raw);
      if (anchor && anchor.kind !== 'add') refuse(`${path}.${raw}`, 'a condition inside of an addition');
      return [anchor?.key ?? raw, withoutAdditions(below, `${path}.${raw}`)];
    }),
  );
}

/** The pattern that an element must meet. Beside global conditions nothing may be in it. */
function withoutGlobal(one: Readonly<Record<string, unknown>>, path: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(one).map(([raw, value]) => {
      const anchor = parseAnchor(raw);
      if (anchor?.kind === 'global') return [anchor.key, value];
      if (anchor || !isJsonObject(value)) return refuse(`${path}.${raw}`, 'a change beside a global condition');
      return [raw, withoutGlobal(value, `${path}.${raw}`)];
    }),
  );
}
