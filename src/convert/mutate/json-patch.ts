import { renderBool } from '../bool.ts';
import { quote } from '../cel-text.ts';
import type { ExpressionScope } from '../expression.ts';
import { refuse } from '../not-convertible.ts';
import { fieldPlace, indexPlace, type Place, valueOr } from '../place.ts';
import { isPresent } from '../scalar.ts';
import { mapOf, type Written, writeValue } from '../values.ts';
import type { Edit, KeyedElement, WrittenMutation } from './edit.ts';

/** A change as JSON patches, each of which sees what those before it have made. Throws NotConvertible. */
export function writeJsonPatches(edit: Edit, root: Place, scope: ExpressionScope): readonly WrittenMutation[] {
  const writer = new PatchWriter(scope);
  const operations = writer.write(edit, root, ['']);
  return [...(operations === '[]' ? [] : [operations]), ...writer.later].map(
    (expression): WrittenMutation => ({ patchType: 'JSONPatch', jsonPatch: { expression } }),
  );
}

/** A pointer in parts: text, or an expression of a text. */
type Pointer = readonly (string | { readonly expression: string })[];

class PatchWriter {
  /** Expressions that need the result of those before them. */
  readonly later: string[] = [];
  private depth = 0;

  constructor(private readonly scope: ExpressionScope) {}

  /** A list of operations. */
  write(edit: Edit, place: Place, at: Pointer): string {
    switch (edit.kind) {
      case 'set': {
        const add = `[${operation('add', at, this.value(edit.value, edit.path).text)}]`;
        return edit.ifAbsent ? choice(place, '[]', add) : add;
      }
      case 'remove':
        return choice(place, `[${operation('remove', at)}]`, '[]');
      case 'map':
        return this.writeMap(edit, place, at);
      case 'each':
        return this.writeEach(edit, place, at);
      case 'insert': {
        const value = this.value(edit.value, edit.path).text;
        const index = edit.index === 'end' || edit.index === -1 ? '-' : String(edit.index);
        return choice(place, `[${operation('add', below(at, index), value)}]`, this.creation(edit, at));
      }
      case 'at':
        return this.writeAt(edit, place, at);
      case 'elements':
        return this.writeElements(edit, place, at);
    }
  }

  private value(value: unknown, path: string): Written {
    return writeValue(value, { scope: this.scope, path });
  }

  private writeMap(edit: Extract<Edit, { kind: 'map' }>, place: Place, at: Pointer): string {
    const parts = [...edit.fields].map(([key, each]) =>
      this.write(each, fieldPlace(place, key), below(at, escaped(key))),
    );
    const inside = parts.filter((part) => part !== '[]');
    const [only = '[]'] = inside;
    const all = inside.length <= 1 ? only : inside.map((part) => (isChoice(part) ? `(${part})` : part)).join(' + ');
    return readsAll(edit) ? all : choice(place, all, this.creation(edit, at));
  }

  /** The operation that makes what is not there. */
  private creation(edit: Edit, at: Pointer): string {
    const made = this.made(edit);
    return made === undefined ? '[]' : `[${operation('add', at, made.text)}]`;
  }

  /** What a change makes of nothing. */
  private made(edit: Edit): Written | undefined {
    switch (edit.kind) {
      case 'set':
        return this.value(edit.value, edit.path);
      case 'map': {
        const entries = [...edit.fields].flatMap(([key, each]) => {
          const written = this.made(each);
          return written ? [{ key, written, isOptional: false }] : [];
        });
        return entries.length === 0 && edit.fields.size > 0 ? undefined : mapOf(entries, undefined);
      }
      case 'insert': {
        const item = this.value(edit.value, edit.path);
        return { text: `[${item.text}]`, type: `list(${item.type})` };
      }
      case 'at': {
        const item = this.made(edit.edit);
        return item && { text: `[${item.text}]`, type: `list(${item.type})` };
      }
      case 'elements': {
        const items = edit.elements.map(({ edit: inner }) => this.made(inner)?.text ?? '{}');
        return {
          text: `[${items.map((item) => (items.length > 1 ? `dyn(${item})` : item)).join(', ')}]`,
          type: 'list',
        };
      }
      default:
        return undefined;
    }
  }

  /** The variable of an index has a name of its own at each depth. */
  private writeEach(
    { element, condition, edit, isDescending, isRequired }: Extract<Edit, { kind: 'each' }>,
    place: Place,
    at: Pointer,
  ) {
    const index = this.depth++ === 0 ? 'i' : `i${this.depth}`;
    const operations = this.write(edit, element, below(at, { expression: `string(${index})` }));
    this.depth--;
    const list = isRequired ? place.strict : valueOr(place, '[]');
    if (isDescending) {
      // A removal shifts the elements behind it.
      const bound = (text: string) => `[${list}[${index}]].${text}`;
      const isMet =
        condition.kind === 'constant'
          ? ''
          : `.filter(${index}, ${bound(`exists(${element.variable}, ${renderBool(condition)})`)})`;
      if (edit.kind !== 'remove') return refuse('', 'only removals are made in descending order');
      const remove = operation('remove', below(at, { expression: `string(${index})` }));
      return `lists.range(size(${list})).map(${index}, size(${list}) - 1 - ${index})${isMet}.map(${index}, ${remove})`;
    }
    const filter = condition.kind === 'constant' ? '' : `${renderBool(condition)}, `;
    return `${list}.transformList(${index}, ${element.variable}, ${filter}${operations}).flatten()`;
  }

  private writeAt({ index, edit }: Extract<Edit, { kind: 'at' }>, place: Place, at: Pointer): string {
    if (index < -1 || index > 0) return refuse('', 'only the first and the last element can be named by index');
    const list = valueOr(place, '[]');
    const element = index === 0 ? indexPlace(place, 0) : lastPlace(place);
    const segment = index === 0 ? '0' : { expression: `string(size(${list}) - 1)` };
    const inside = this.write(edit, { ...element, isOptional: false, chain: element.strict }, below(at, segment));
    const made = this.made(edit);
    const add = made === undefined ? '[]' : `[${operation('add', below(at, '-'), made.text)}]`;
    const inList = `size(${place.strict}) > 0 ? ${isChoice(inside) ? `(${inside})` : inside} : ${add}`;
    return choice(place, inList, this.creation({ kind: 'at', index, edit }, at));
  }

  /** The elements are brought to the front, the last one first, and then changed there. */
  private writeElements({ elements }: Extract<Edit, { kind: 'elements' }>, place: Place, at: Pointer): string {
    const front = below(at, '0');
    const inFront = { ...indexPlace(place, 0), isOptional: false, chain: `${place.strict}[0]` };
    const [first = '[]', ...others] = elements.toReversed().flatMap((element) => {
      const placement = this.placement(element, place, at);
      return [() => placement, () => this.write(element.edit, inFront, front)];
    });
    // What is nested comes after what it is in.
    for (const write of others) {
      if (typeof write === 'string') continue;
      const position = this.later.length;
      const text = write();
      if (text !== '[]') this.later.splice(position, 0, text);
    }
    return typeof first === 'string' ? first : first();
  }

  private placement({ key, id, edit, path }: KeyedElement, place: Place, at: Pointer): string {
    const front = below(at, '0');
    const name = this.value(id, path).text;
    const made = this.made(edit)?.text ?? '{}';
    const variable = `e${place.depth === 0 ? '' : place.depth}`;
    const index = `${place.strict}.map(${variable}, ${variable}.${key}).indexOf(${name})`;
    const from = pointer(below(at, { expression: `string(${index})` }));
    const move = `[JSONPatch{op: 'move', from: ${from}, path: ${pointer(front)}}]`;
    const isThere = `${place.strict}.exists(${variable}, ${variable}.${key} == ${name})`;
    const inList = `${isThere} ? ${move} : [${operation('add', front, made)}]`;
    return choice(place, inList, `[${operation('add', at, `[${made}]`)}]`);
  }
}

function lastPlace(list: Place): Place {
  const strict = `${list.strict}[size(${list.strict}) - 1]`;
  return { ...indexPlace(list, 0), strict, chain: strict };
}

/** Whether a list is read in it that must be there. */
function readsAll(edit: Edit): boolean {
  return edit.kind === 'each' ? edit.isRequired : edit.kind === 'map' && [...edit.fields.values()].some(readsAll);
}

/** Operations by whether there is something at the place. */
function choice(place: Place, ifThere: string, otherwise: string): string {
  const isThere = isPresent(place);
  if (isThere.kind === 'constant' || ifThere === otherwise) return ifThere;
  return `${renderBool(isThere)} ? ${isChoice(ifThere) ? `(${ifThere})` : ifThere} : ${otherwise}`;
}

/** Texts that are one list literal or in parentheses need none around them. */
const isChoice = (text: string) => !text.startsWith('[') && !text.startsWith('(') && text.includes(' ? ');

const operation = (op: string, at: Pointer, value?: string): string =>
  `JSONPatch{op: '${op}', path: ${pointer(at)}${value === undefined ? '' : `, value: ${value}`}}`;

function below(at: Pointer, segment: string | { readonly expression: string }): Pointer {
  const last = at.at(-1);
  const before = typeof last === 'string' ? [...at.slice(0, -1), `${last}/`] : [...at, '/'];
  if (typeof segment !== 'string') return [...before, segment];
  return [...before.slice(0, -1), `${String(before.at(-1))}${segment}`];
}

const pointer = (at: Pointer): string =>
  at.map((part) => (typeof part === 'string' ? quote(part) : part.expression)).join(' + ');

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
