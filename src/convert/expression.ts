import { errorMessage } from '../base/index.ts';
import { compile, type Node as JmespathNode } from '../jmespath/index.ts';
import type { Schema } from '../schema/index.ts';
import { literal, quote } from './cel-text.ts';
import { refuse } from './not-convertible.ts';
import {
  elementPlace,
  fieldPlace,
  indexPlace,
  type Place,
  rootPlace,
  type ScalarType,
  typeOf,
  valueOr,
} from './place.ts';
import { partsOf } from './text-parts.ts';
import type { TouchedPlaces } from './touched.ts';

/** A JMESPath expression as CEL. */
export interface Converted {
  readonly text: string;
  readonly type: ScalarType;
  /** Of a list: the type of its elements. */
  readonly items?: ScalarType;
  /** The place, if the expression only leads to one. */
  readonly place?: Place;
  /** The place that it is about, if it is more than that. */
  readonly about?: Place;
  /** The value, if the expression is a literal. */
  readonly literal?: unknown;
}

export interface ExpressionScope {
  readonly schema: Schema | undefined;
  readonly touched: TouchedPlaces;
  /** What `element` is, inside a loop. */
  readonly element?: Place;
  /** Of a rule that changes other objects: the one that triggers it. `touched` is then about the one that is changed. */
  readonly trigger?: { readonly touched: TouchedPlaces };
  /** Of the object that is changed instead. */
  readonly targetSchema?: Schema | undefined;
  /** Whether conditions are evaluated one after the other, so that the first error counts. */
  readonly isOrdered?: boolean;
  /** The entries of the rule's context. */
  readonly entries?: ReadonlyMap<string, Converted>;
}

/** A list expression as the places whose elements it gives, one after the other. */
export function convertListPlaces(source: string, scope: ExpressionScope, path: string): readonly Place[] {
  const converter = new ExpressionConverter(scope, path, source);
  return converter.listPlaces(parse(source, path));
}

/** Whether the expression only names fields, so that it is an error where one of them is absent. */
export const namesFields = (source: string, path: string): boolean => namesOf(parse(source, path)) !== undefined;

/** Fields of the request that CEL has under the same name. */
const requestTexts: readonly string[] = ['operation', 'name', 'namespace'];

/** What is between `{{` and `}}`; throws NotConvertible. */
export function convertExpression(source: string, scope: ExpressionScope, path: string): Converted {
  return new ExpressionConverter(scope, path, source).convert(parse(source, path));
}

function parse(source: string, path: string): JmespathNode {
  try {
    return compile(source, { checkCalls: 'evaluate' }).ast;
  } catch (thrown) {
    return refuse(path, errorMessage(thrown));
  }
}

class ExpressionConverter {
  constructor(
    private readonly scope: ExpressionScope,
    private readonly path: string,
    private readonly source: string,
    private readonly current?: Converted,
  ) {}

  convert(node: JmespathNode): Converted {
    switch (node.kind) {
      case 'literal':
        return this.ofLiteral(node.value);
      case 'or':
        return this.convertOr(node);
      case 'call':
        return this.convertCall(node);
      case 'pipe':
        return new ExpressionConverter(this.scope, this.path, this.source, this.convert(node.left)).convert(node.right);
      case 'current':
        return this.current ?? this.refuse('what @ is');
      case 'projection':
      case 'flatten':
        return this.convertProjection(node);
      default: {
        const place = this.placeOf(node);
        return place === undefined ? this.convertRequest(node) : this.ofPlace(place);
      }
    }
  }

  private refuse(what: string): never {
    return refuse(this.path, `${what} in {{ ${this.source} }} has no equivalent`);
  }

  private ofLiteral(value: unknown): Converted {
    const type = scalarTypeOf(value);
    if (type === undefined) return this.refuse('this literal');
    if (typeof value === 'string' && value.includes('{{')) return { text: this.nested(value), type };
    return { text: literal(value), type, literal: value };
  }

  /** A text in which variables were put before the expression was read. */
  private nested(text: string): string {
    const parts = partsOf(text, this.path).map((part) => {
      if ('text' in part) return quote(part.text);
      const { text: value, type } = convertExpression(part.expression, this.scope, this.path);
      return type === 'string' ? value : this.refuse('what is no text');
    });
    return parts.join(' + ');
  }

  private ofPlace(place: Place): Converted {
    this.touched(place).add(place);
    return { text: place.strict, type: typeOf(place), items: itemsOf(place), place };
  }

  private touched({ strict }: Place): TouchedPlaces {
    const { trigger, touched } = this.scope;
    return trigger && strict.startsWith('request.') ? trigger.touched : touched;
  }

  /** `request.object.a.b[0]`; undefined for anything else. */
  private placeOf(node: JmespathNode, from?: Place): Place | undefined {
    switch (node.kind) {
      case 'current':
        return from;
      case 'field':
        if (from === undefined && node.name === 'target' && this.scope.trigger)
          return rootPlace('object', this.scope.targetSchema);
        if (from === undefined) return node.name === 'element' ? this.scope.element : undefined;
        return fieldPlace(from, node.name);
      case 'index': {
        const list = node.index < 0 ? undefined : this.placeOf(node.left, from);
        return list && typeOf(list) === 'array' ? indexPlace(list, node.index) : undefined;
      }
      case 'sub': {
        const root = rootNameOf(node);
        if (root !== undefined && from === undefined)
          return rootPlace(this.scope.trigger ? `request.${root}` : root, this.scope.schema);
        const left = this.placeOf(node.left, from);
        return left && this.placeOf(node.right, left);
      }
      default:
        return undefined;
    }
  }

  private convertRequest(node: JmespathNode): Converted {
    const names = namesOf(node);
    const entry = names?.length === 1 ? this.scope.entries?.get(names[0] as string) : undefined;
    if (entry) return entry;
    if (names?.[0] === 'request' && names.length === 2 && requestTexts.includes(names[1] as string))
      return { text: `request.${names[1]}`, type: 'string' };
    if (names?.join('.') === 'request.userInfo.username') return { text: 'request.userInfo.username', type: 'string' };
    if (names?.join('.') === 'request.userInfo.groups')
      return { text: 'request.userInfo.groups', type: 'array', items: 'string' };
    return this.refuse(node.kind === 'field' ? `the variable ${node.name}` : 'what it reads');
  }

  /** A value with a default. JMESPath takes the default for what is empty, too. */
  private convertOr({ left, right }: Extract<JmespathNode, { kind: 'or' | 'and' | 'pipe' }>): Converted {
    // Every request has an operation.
    if (namesOf(left)?.join('.') === 'request.operation') return this.convertRequest(left);
    const place = this.placeOf(left) ?? this.entryPlace(left);
    const otherwise = this.convert(right);
    const second = otherwise.place;
    if (place?.isOptional && second?.isOptional && areTexts(place, second))
      return { text: `${place.chain}.or(${second.chain}).value()`, type: typeOf(place) };
    if (!('literal' in otherwise)) return this.refuse('a default that is no literal');
    const list = left.kind === 'projection' || left.kind === 'flatten' ? this.convert(left) : undefined;
    if (list && Array.isArray(otherwise.literal) && otherwise.literal.length === 0) return list;
    if (place === undefined) return this.refuse('this default');
    this.touched(place).add(place, otherwise.literal);
    const type = typeOf(place);
    const isEmpty = isFalsy(otherwise.literal);
    if (otherwise.literal === '' && type === 'unknown' && place.schema === undefined)
      return { text: valueOr(place, "''"), type: 'unknown', place };
    if (otherwise.literal === '' && (type === 'object' || type === 'array') && place.isOptional)
      return { text: `${place.chain}.optMap(m, size(m) > 0 ? dyn(m) : dyn('')).orValue('')`, type: 'unknown', place };
    if (type !== otherwise.type && !(isEmpty && type === 'array')) return this.refuse('a default of another type');
    if (type === 'string' && !isEmpty) {
      const value = valueOr(place, "''");
      return { text: `(${value} != '' ? ${value} : ${otherwise.text})`, type, about: place };
    }
    if (type === 'boolean' && !isEmpty) return this.refuse('a default of true, which is taken for false too,');
    return { text: valueOr(place, otherwise.text), type, items: itemsOf(place), about: place };
  }

  private entryPlace(node: JmespathNode): Place | undefined {
    return node.kind === 'field' ? this.scope.entries?.get(node.name)?.place : undefined;
  }

  private convertCall({ name, args }: Extract<JmespathNode, { kind: 'call' }>): Converted {
    const [first, second, third] = args.map((arg) => this.convert(arg));
    if (name === 'regex_replace_all' && second?.type === 'string' && third) {
      const [regex, replacement] = [first?.literal, third.literal];
      if (typeof regex === 'string' && typeof replacement === 'string' && /^(?:[^$\\]|\$\d)*$/.test(replacement))
        return {
          text: `regex.replace(${second.text}, ${quote(regex)}, ${quote(replacement.replace(/\$(\d)/g, '\\$1'))})`,
          type: 'string',
        };
    }
    if (name === 'length' && first?.type === 'array') return { text: `size(${first.text})`, type: 'integer' };
    if (name === 'length' && first?.type === 'string') return { text: `size(${first.text})`, type: 'integer' };
    if (name === 'to_lower' && first?.type === 'string') return { text: `${first.text}.lowerAscii()`, type: 'string' };
    if (name === 'to_upper' && first?.type === 'string') return { text: `${first.text}.upperAscii()`, type: 'string' };
    if (typeof second?.literal === 'string' && first?.type === 'string') {
      const methods: Readonly<Record<string, string>> = {
        starts_with: 'startsWith',
        ends_with: 'endsWith',
        contains: 'contains',
      };
      const method = methods[name];
      if (method) return { text: `${first.text}.${method}(${quote(second.literal)})`, type: 'boolean' };
    }
    if (name === 'contains' && first?.type === 'array' && second && 'literal' in second)
      return { text: `${second.text} in ${first.text}`, type: 'boolean' };
    if (name === 'regex_match' && typeof first?.literal === 'string' && second?.type === 'string')
      return { text: `${second.text}.matches(${quote(first.literal)})`, type: 'boolean' };
    return this.refuse(`the function ${name}`);
  }

  /** `list[].field`: the field of every element that has it. */
  private convertProjection(node: JmespathNode): Converted {
    const { lists, steps } = this.partsOf(node);
    const [first] = lists;
    if (first === undefined) return this.refuse('this projection');
    const text = lists.length === 1 ? valueOr(first, '[]') : `(${lists.map((one) => valueOr(one, '[]')).join(' + ')})`;
    const element = elementPlace(first);
    for (const list of lists) this.scope.touched.add(steps.reduce(fieldPlace, elementPlace(list) as Place));
    if (steps.length === 0) return { text, type: 'array', items: typeOf(element) };
    const last = steps.reduce(fieldPlace, element as Place);
    const { variable } = element;
    const found = last.isOptional
      ? `${text}.filter(${variable}, ${last.chain}.hasValue()).map(${variable}, ${last.strict})`
      : `${text}.map(${variable}, ${last.strict})`;
    return { text: found, type: 'array', items: typeOf(last) };
  }

  /** The lists whose elements the expression gives, without a step further. */
  listPlaces(node: JmespathNode): readonly Place[] {
    const place = this.placeOf(node);
    const type = place && typeOf(place);
    // Only a list can be gone through.
    if (place && (type === 'array' || (type === 'unknown' && place.schema === undefined))) return [place];
    const { lists, steps } = this.partsOf(node);
    return lists.length > 0 && steps.length === 0 ? lists : this.refuse('this list');
  }

  private partsOf(node: JmespathNode): { readonly lists: readonly Place[]; readonly steps: readonly string[] } {
    if (node.kind === 'flatten') {
      const { left } = node;
      const place = this.placeOf(left);
      if (place) return { lists: [place], steps: [] };
      return { lists: this.listsOf(left), steps: [] };
    }
    if (node.kind !== 'projection') return { lists: [], steps: [] };
    const steps = namesOf(node.right) ?? (node.right.kind === 'current' ? [] : undefined);
    if (steps === undefined) return { lists: [], steps: [] };
    const inner = node.left.kind === 'flatten' ? this.partsOf(node.left).lists : undefined;
    const place = inner ? undefined : this.placeOf(node.left);
    return { lists: inner ?? (place ? [place] : []), steps };
  }

  /** `spec.[initContainers, containers]`: several lists of one object. */
  private listsOf(node: JmespathNode): readonly Place[] {
    if (node.kind !== 'sub' || node.right.kind !== 'list') return [];
    const parent = this.placeOf(node.left);
    if (parent === undefined) return [];
    const lists = node.right.items.map((item) => this.placeOf(item, parent));
    return lists.every((one) => one !== undefined && typeOf(one) === 'array') ? (lists as readonly Place[]) : [];
  }
}

/** Texts and amounts: of these only the empty text is taken for absent. */
const areTexts = (...places: readonly Place[]) => places.every((one) => ['string', 'quantity'].includes(typeOf(one)));

const itemsOf = (place: Place): ScalarType => typeOf({ ...place, schema: place.schema?.items });

function scalarTypeOf(value: unknown): ScalarType | undefined {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number' && Number.isSafeInteger(value)) return 'integer';
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? 'array' : undefined;
}

const isFalsy = (value: unknown) => value === '' || value === false || (Array.isArray(value) && value.length === 0);

/** The names of a chain of fields; undefined for anything else. */
function namesOf(node: JmespathNode): readonly string[] | undefined {
  if (node.kind === 'field') return [node.name];
  if (node.kind !== 'sub') return undefined;
  const [left, right] = [namesOf(node.left), namesOf(node.right)];
  return left && right && [...left, ...right];
}

function rootNameOf(node: JmespathNode): 'object' | 'oldObject' | undefined {
  const names = namesOf(node);
  if (names?.length !== 2 || names[0] !== 'request') return undefined;
  return names[1] === 'object' || names[1] === 'oldObject' ? names[1] : undefined;
}
