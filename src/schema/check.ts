import { isJsonObject, renderJson } from '../base/index.ts';
import { FieldsError, fieldElement, type PathElement, renderPath } from './path-element.ts';
import { type ListShape, type MapShape, type ScalarKind, type Shape, shapeOfKind } from './shape.ts';
import type { Schema } from './types.ts';
import { asList, asMap, formOf, itemElement } from './value.ts';

/** The error of a configuration before it can be applied, with the server's message; undefined when it is valid. */
export function checkApplied(applied: unknown, schema: Schema | undefined): string | undefined {
  const walk = new CheckWalk();
  walk.visit(shapeOfKind(schema), applied);
  if (walk.problems.length <= 1) return walk.problems[0];
  return ['errors:', ...walk.problems.map((problem) => `  ${problem}`)].join('\n');
}

class CheckWalk {
  readonly problems: string[] = [];
  private readonly path: PathElement[] = [];

  visit(shape: Shape, value: unknown): void {
    const form = formOf(shape, value);
    if (value === null) return;
    if (form === 'scalar') this.scalar(shape.scalar!, value);
    else if (form === 'list') this.list(shape.list!, value);
    else this.map(shape.map!, value);
  }

  private scalar(kind: ScalarKind, value: unknown): void {
    const type = typeof value === 'bigint' ? 'number' : typeof value;
    if (kind === 'numeric' && type !== 'number') this.report(`expected numeric (int or float), got ${goType(value)}`);
    else if (kind === 'string' && type !== 'string') this.report(`expected string, got ${goSyntax(value)}`);
    else if (kind === 'boolean' && type !== 'boolean') this.report(`expected boolean, got ${goPlain(value)}`);
    else if (type === 'object') this.report(`expected any scalar, got ${goPlain(value)}`);
  }

  private map(shape: MapShape, value: unknown): void {
    const map = asMap(value);
    if (map === undefined) this.report(`expected map, got ${goPlain(value)}`);
    for (const name in map) {
      if (map[name] === undefined) continue;
      const child = shape.declared(name) ?? shape.others;
      this.path.push(fieldElement(name));
      if (child === undefined) this.report('field not declared in schema');
      else this.visit(child, map[name]);
      this.path.pop();
      if (child === undefined) return;
    }
  }

  private list(shape: ListShape, value: unknown): void {
    const list = asList(value);
    if (list === undefined) this.report(`expected list, got ${goPlain(value)}`);
    const seen = new Set<PathElement>();
    for (const [i, item] of (list ?? []).entries()) {
      const element = shape.kind === 'atomic' ? `i:${i}` : this.identity(shape, item, i);
      if (element === undefined) return;
      if (seen.has(element)) this.report(`duplicate entries for key ${renderPath([element])}`);
      seen.add(element);
      this.path.push(element);
      this.visit(shape.item, item);
      this.path.pop();
    }
  }

  private identity(shape: ListShape, item: unknown, index: number): PathElement | undefined {
    try {
      return itemElement(shape, item);
    } catch (thrown) {
      if (!(thrown instanceof FieldsError)) throw thrown;
      this.report(`element ${index}: ${thrown.message}`);
      return undefined;
    }
  }

  private report(problem: string): void {
    const path = renderPath(this.path);
    this.problems.push(path === '' ? problem : `${path}: ${problem}`);
  }
}

function goType(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

// The server prints its own wrapper around the value; users search for this exact text.
const goSyntax = (value: unknown): string => `&value.valueUnstructured{Value:${renderJson(value)}}`;

const goPlain = (value: unknown): string => `&{${goText(value)}}`;

function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return String(value === null ? '<nil>' : value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`;
}
