import { errorMessage, isJsonObject, parseYaml } from '../../base/index.ts';
import { always, type Bool } from '../bool.ts';
import { quote } from '../cel-text.ts';
import type { ExpressionScope } from '../expression.ts';
import { refuse } from '../not-convertible.ts';
import { elementPlace, fieldPlace, indexPlace, type Place } from '../place.ts';
import { writeNested, writeValue } from '../values.ts';
import type { Edit, ElementPlace } from './edit.ts';

/** A change, or an operation that is written as it is. */
export type PatchStep = { readonly edit: Edit } | { readonly operation: string };

export interface LoopPlace {
  readonly list: Place;
  readonly element: ElementPlace;
  readonly condition: Bool;
  readonly isDescending: boolean;
  readonly isRequired: boolean;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** The operations of a `patchesJson6902`, one by one; throws NotConvertible. */
export function convertOperations(
  text: string,
  root: Place,
  scope: ExpressionScope,
  path: string,
  loop?: LoopPlace,
): readonly PatchStep[] {
  return parseOperations(text, path).map((operation, i) =>
    convertOperation(operation, { root, scope, path: `${path}[${i}]`, loop }),
  );
}

interface Surroundings {
  readonly root: Place;
  readonly scope: ExpressionScope;
  readonly path: string;
  readonly loop: LoopPlace | undefined;
}

function convertOperation({ op, path, from, value }: Operation, around: Surroundings): PatchStep {
  const { root, scope, loop } = around;
  if (op === 'add' || op === 'remove') {
    const segments = path.split('/').slice(1).map(unescaped);
    if (path === '' || segments.includes('')) return refuse(around.path, 'a path with an empty part');
    return { edit: nested(segments, root, { op, value, around }) };
  }
  if (loop) return refuse(around.path, `${op} in a loop is not converted`);
  const at = writeNested(path, scope, around.path);
  const written = value === undefined ? undefined : writeValue(value, { scope, path: around.path });
  const source = from === undefined ? '' : `, from: ${writeNested(from, scope, around.path)}`;
  const segments = path.split('/').slice(1).map(unescaped);
  const place = segments.reduce(step, root);
  scope.touched.add(place);
  const operation = `[JSONPatch{op: ${quote(op)}, path: ${at}${source}${written ? `, value: ${written.text}` : ''}}]`;
  // To replace what is not there is an error of a rule; here the read is.
  const mustExist = op === 'replace' && segments.length > 0 && !segments.some((key) => key === '-' || isIndex(key));
  return { operation: mustExist ? `${place.strict} == null ? [] : ${operation}` : operation };
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
const isIndex = (segment: string) => /^-?\d+$/.test(segment);
const step = (place: Place, key: string): Place =>
  isIndex(key) || key === '-' ? indexPlace(place, 0) : fieldPlace(place, key);

interface Leaf {
  readonly op: 'add' | 'remove';
  readonly value: unknown;
  readonly around: Surroundings;
}

/** The change that an operation with this path makes. */
function nested(segments: readonly string[], place: Place, leaf: Leaf): Edit {
  const { op, value, around } = leaf;
  const { loop, scope, path } = around;
  const [segment = '', ...rest] = segments;
  if (segment === '{{elementIndex}}') {
    if (loop === undefined || loop.list.strict !== place.strict) return refuse(path, 'the index of another list');
    const { element, condition, isDescending, isRequired } = loop;
    if (rest.length === 0 && op === 'add') return refuse(path, 'elements are added while the list is gone through');
    const edit: Edit = rest.length === 0 ? { kind: 'remove' } : nested(rest, element, leaf);
    return { kind: 'each', element, condition, edit, key: 'name', isDescending, isRequired };
  }
  if (segment.includes('{{')) return refuse(path, 'a path with variables');
  if (isIndex(segment) || segment === '-') {
    const index = Number(segment);
    if (rest.length === 0 && op === 'add') {
      scope.touched.add(elementPlace(place));
      return { kind: 'insert', index: segment === '-' ? 'end' : index, value, path };
    }
    if (segment === '-') return refuse(path, '- inside of a path');
    if (rest.length === 0) return refuse(path, 'an element is removed by its index');
    return { kind: 'at', index, edit: nested(rest, indexPlace(place, 0), leaf) };
  }
  const child = fieldPlace(place, segment);
  if (rest.length === 0) scope.touched.add(child, ...(typeof value === 'object' ? [] : [value]));
  const edit: Edit =
    rest.length > 0
      ? nested(rest, child, leaf)
      : op === 'remove'
        ? { kind: 'remove' }
        : { kind: 'set', value, ifAbsent: false, path };
  return { kind: 'map', fields: new Map([[segment, edit]]), ifAbsent: false };
}

/** Variables are put into the text of a patch: one that is not in quotes has the type that its value looks like. */
function parseOperations(text: string, path: string): readonly Operation[] {
  const variables: string[] = [];
  const marked = text.replace(/\{\{((?:[^{}]|\{[^{}]*\})*)\}\}/g, (whole, _, at: number) => {
    const before = text.slice(0, at).split('\n').at(-1) ?? '';
    const isWhole = /(?:[:,[]|-)\s*$/.test(before) && /^\s*(?:[\n,}\]]|$)/.test(text.slice(at + whole.length));
    if (isWhole) refuse(path, `${whole} is not in quotes, so that its value decides on its type`);
    variables.push(whole.replace(/^\{\{\s*/, '{{').replace(/\s*\}\}$/, '}}'));
    return `__v${variables.length - 1}__`;
  });
  const restore = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/__v(\d+)__/g, (_, i: string) => variables[Number(i)] ?? '');
    if (Array.isArray(value)) return value.map(restore);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [String(restore(key)), restore(below)]));
  };
  let parsed: unknown;
  try {
    parsed = restore(parseYaml(marked));
  } catch (thrown) {
    return refuse(path, errorMessage(thrown));
  }
  if (!Array.isArray(parsed)) return refuse(path, 'a list of operations is expected');
  return parsed.map((one, i) => {
    if (!isJsonObject(one) || typeof one['op'] !== 'string' || typeof one['path'] !== 'string')
      return refuse(`${path}[${i}]`, 'an operation needs op and path');
    return one as unknown as Operation;
  });
}

/** A loop over all elements of a list. */
export const loopOver = (list: Place): LoopPlace => ({
  list,
  element: elementPlace(list),
  condition: always,
  isDescending: false,
  isRequired: false,
});
