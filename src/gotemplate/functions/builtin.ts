import { CallFailure } from '../errors.ts';
import { print, printLine } from '../format/print.ts';
import { printf } from '../format/printf.ts';
import type { Run } from '../run.ts';
import { renderNode } from '../syntax/ast.ts';
import { byteLength, encodeUtf8, sliceBytes } from '../utf8.ts';
import {
  dictGet,
  dictSize,
  elementType,
  integerOf,
  isDict,
  isTrue,
  Num,
  typeName,
  type Value,
  withElements,
} from '../values.ts';
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

const unreachable = () => {
  throw new CallFailure('unreachable');
};

export const builtinFunctions: readonly FunctionSpec[] = [
  ...define({
    // Compiled where they are called: they evaluate no further than needed.
    'and(value, ...value)': unreachable,
    'or(value, ...value)': unreachable,
    'not(value)': (value: Value) => !isTrue(value),
    'len(value)': length,
    'index(value, ...value)': index,
    'slice(value, ...value)': slice,
  }),
  ...defineRunning({
    'print(...any)': (run, ...args: Value[]) => charged(run, print(args, run)),
    'printf(string, ...any)': (run, format: string, ...args: Value[]) => charged(run, printf(format, args, run)),
    'println(...any)': (run, ...args: Value[]) => charged(run, printLine(args, run)),
    'html(...any)': (run, ...args: Value[]) => charged(run, escapeHtml(argumentText(run, args))),
    'js(...any)': (run, ...args: Value[]) => charged(run, escapeJs(argumentText(run, args))),
    'urlquery(...any)': (run, ...args: Value[]) => charged(run, escapeQuery(argumentText(run, args))),
    'call(value, ...value)': (run, callee: Value) => {
      if (callee === undefined || callee === null) throw new CallFailure('call of nil');
      throw new CallFailure(`non-function ${calleeName(run, callee)} of type ${typeName(callee)}`);
    },
  }),
];

/** The operand as it was written; a piped value by itself. */
function calleeName(run: Run, callee: Value): string {
  const operand = run.command.kind === 'command' ? run.command.args[1] : undefined;
  if (operand) return renderNode(operand);
  return typeof callee === 'string' ? callee : `<${typeName(callee)} Value>`;
}

function charged(run: { charge(length: number): void }, text: string): string {
  run.charge(text.length);
  return text;
}

/** Arguments as the escaping functions print them: nil as `<no value>`. */
const argumentText = (run: Run, args: readonly Value[]) => {
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  return print(
    args.map((arg) => (arg === null || arg === undefined ? '<no value>' : arg)),
    run,
  );
};

function length(item: Value): number {
  if (typeof item === 'string') return byteLength(item);
  if (Array.isArray(item)) return item.length;
  if (isDict(item)) return dictSize(item);
  if (item === null) throw new CallFailure('len of nil pointer');
  if (item === undefined) throw new CallFailure('reflect: call of reflect.Value.Type on zero Value');
  throw new CallFailure(`len of type ${typeName(item)}`);
}

function index(item: Value, ...indexes: Value[]): Value {
  if (item === undefined || item === null) throw new CallFailure('index of untyped nil');
  let value: Value = item;
  for (const key of indexes) {
    if (value === null || value === undefined) throw new CallFailure('index of nil pointer');
    if (isDict(value)) value = entry(value, key);
    else if (Array.isArray(value)) value = value[position(key, value.length, true)] ?? null;
    else if (typeof value === 'string') {
      const bytes = encodeUtf8(value);
      value = new Num('uint8', bytes[position(key, bytes.length, true)]!);
    } else throw new CallFailure(`can't index item of type ${typeName(value)}`);
  }
  return value;
}

function entry(dict: object, key: Value): Value {
  if (key === undefined || key === null) throw new CallFailure('value is nil; should be of type string');
  if (typeof key !== 'string') throw new CallFailure(`value has type ${typeName(key)}; should be string`);
  const found = dictGet(dict as Record<string, Value>, key);
  if (found !== undefined) return found;
  return elementType(dict) === 'string' ? '' : null;
}

function position(index: Value, capacity: number, isElement: boolean): number {
  if (index === undefined || index === null) throw new CallFailure('cannot index slice/array with nil');
  const integer = integerOf(index);
  if (integer === undefined) throw new CallFailure(`cannot index slice/array with type ${typeName(index)}`);
  if (integer < 0 || integer > capacity) throw new CallFailure(`index out of range: ${integer}`);
  const at = Number(integer);
  // Go checks against the capacity first and lets reflection find out about the end.
  if (isElement && at === capacity) throw new CallFailure('reflect: slice index out of range');
  return at;
}

export function slice(item: Value, ...indexes: Value[]): Value {
  if (item === undefined || item === null) throw new CallFailure('slice of untyped nil');
  if (indexes.length > 3) throw new CallFailure(`too many slice indexes: ${indexes.length}`);
  const isText = typeof item === 'string';
  if (isText && indexes.length === 3) throw new CallFailure('cannot 3-index slice a string');
  if (!isText && !Array.isArray(item)) throw new CallFailure(`can't slice item of type ${typeName(item)}`);
  const capacity = isText ? byteLength(item) : item.length;
  const [start = 0, end = capacity, limit = capacity] = indexes.map((index) => position(index, capacity, false));
  if (start > end) throw new CallFailure(`invalid slice index: ${start} > ${end}`);
  if (end > limit) throw new CallFailure(`invalid slice index: ${end} > ${limit}`);
  return isText ? sliceBytes(item, start, end) : withElements(item.slice(start, end), elementType(item));
}
