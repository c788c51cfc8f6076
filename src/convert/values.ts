import { isJsonObject } from '../base/index.ts';
import type { Schema } from '../schema/index.ts';
import { isSelectable, quote } from './cel-text.ts';
import { convertExpression, type ExpressionScope } from './expression.ts';
import { refuse } from './not-convertible.ts';
import { partsOf } from './text-parts.ts';

/** A value of a policy as CEL. */
export interface Written {
  readonly text: string;
  /** Values of one list or map literal must be of one type. */
  readonly type: string;
}

interface Position {
  readonly scope: ExpressionScope;
  /** Where the value is written in the policy. */
  readonly path: string;
  /** The `Object.…` type of a map, where there is one. */
  readonly typeName?: string | undefined;
  /** Of the value, where it is known. */
  readonly schema?: Schema | undefined;
}

/** A value with its variables; throws NotConvertible. */
export function writeValue(value: unknown, at: Position): Written {
  if (typeof value === 'string') return writeText(value, at);
  if (typeof value === 'boolean') return { text: String(value), type: 'bool' };
  if (typeof value === 'number') return { text: String(value), type: Number.isSafeInteger(value) ? 'int' : 'double' };
  if (value === null) return { text: 'null', type: 'null' };
  if (Array.isArray(value)) return writeList(value, at);
  if (isJsonObject(value)) return writeMap(value, at);
  return refuse(at.path, 'this value has no equivalent');
}

function writeList(list: readonly unknown[], at: Position): Written {
  const items = list.map((item, i) => writeValue(item, { ...at, path: `${at.path}[${i}]`, schema: at.schema?.items }));
  const type = new Set(items.map((item) => item.type)).size > 1 ? 'dyn' : (items[0]?.type ?? 'dyn');
  return { text: `[${ofOneType(items).join(', ')}]`, type: `list(${type})` };
}

/** Literals must be of one type; a dyn may be anything. */
function ofOneType(values: readonly Written[]): readonly string[] {
  const isMixed = new Set(values.map(({ type }) => type)).size > 1;
  return values.map(({ text, type }) => (isMixed && type !== 'dyn' ? `dyn(${text})` : text));
}

function writeMap(map: Readonly<Record<string, unknown>>, at: Position): Written {
  for (const key of Object.keys(map)) if (key.includes('{{')) refuse(`${at.path}.${key}`, 'a key with a variable');
  const entries = Object.entries(map).map(([key, value]) => {
    const schema = fieldSchema(at.schema, key);
    const isStruct = isStructured(at, [key]);
    const typeName = isStruct ? `${at.typeName}.${key}` : undefined;
    return { key, written: writeValue(value, { scope: at.scope, path: `${at.path}.${key}`, schema, typeName }) };
  });
  return mapOf(
    entries.map(({ key, written }) => ({ key, written, isOptional: false })),
    isStructured(at, Object.keys(map)) ? at.typeName : undefined,
  );
}

interface Entry {
  readonly key: string;
  readonly written: Written;
  /** The value is an optional: the entry is left out where it is none. */
  readonly isOptional: boolean;
}

/** A map literal, or an `Object.…{}` if it has such a type. */
export function mapOf(entries: readonly Entry[], typeName: string | undefined): Written {
  if (typeName !== undefined) {
    const fields = entries.map(({ key, written, isOptional }) => `${isOptional ? '?' : ''}${key}: ${written.text}`);
    return { text: `${typeName}{${fields.join(', ')}}`, type: typeName };
  }
  const texts = ofOneType(entries.map(({ written }) => written));
  const isMixed = new Set(entries.map(({ written }) => written.type)).size > 1;
  const type = isMixed ? 'dyn' : (entries[0]?.written.type ?? 'dyn');
  const fields = entries.map(({ key, isOptional }, i) => `${isOptional ? '?' : ''}${quote(key)}: ${texts[i]}`);
  return { text: `{${fields.join(', ')}}`, type: `map(${type})` };
}

/** Whether a map is written as an `Object.…{}`: free keys, as of labels, are entries of a map. */
export function isStructured(
  { typeName, schema }: Pick<Position, 'typeName' | 'schema'>,
  keys: readonly string[],
): boolean {
  if (typeName === undefined || !keys.every(isSelectable)) return false;
  return schema?.additionalProperties === undefined || schema.additionalProperties === false;
}

function fieldSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const others = schema?.additionalProperties;
  return schema?.properties?.[key] ?? (typeof others === 'object' ? others : undefined);
}

/** A text with variables: alone, a variable keeps its type. */
function writeText(text: string, { scope, path }: Position): Written {
  const parts = partsOf(text, path);
  if (parts.every((part) => 'text' in part)) return { text: quote(text.replaceAll('\\{{', '{{')), type: 'string' };
  const [only] = parts;
  if (parts.length === 1 && only && 'expression' in only) {
    const { text: value, type, place } = convertExpression(only.expression, scope, path);
    return { text: value, type: place || type === 'unknown' ? 'dyn' : (celTypes[type] ?? 'dyn') };
  }
  const texts = parts.map((part) => {
    if ('text' in part) return quote(part.text);
    const { text: value, type } = convertExpression(part.expression, scope, path);
    if (type === 'string') return value;
    if (type === 'integer' || type === 'boolean') return `string(${value})`;
    return refuse(path, `{{ ${part.expression} }} inside of a text may be no scalar`);
  });
  return { text: texts.join(' + '), type: 'string' };
}

const celTypes: Readonly<Record<string, string>> = { string: 'string', integer: 'int', boolean: 'bool' };

/** A text with variables as CEL, where only a text is expected. */
export const writeNested = (text: string, scope: ExpressionScope, path: string): string =>
  writeText(text, { scope, path }).text;
