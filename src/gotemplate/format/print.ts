import { LimitReached } from '../errors.ts';
import {
  type Complex,
  type Dict,
  dictGet,
  elementType,
  GoObject,
  isNilList,
  kindOf,
  Num,
  sortedKeys,
  typeName,
  type Value,
} from '../values.ts';
import { type Budget, Flags } from './flags.ts';
import { formatFloat } from './float.ts';

/** Lists and maps nest at most this deep in print: data that contain themselves must not end the process. */
const maxPrintDepth = 500;

/** How a value prints by itself: Go's `%v`. */
export function display(value: Value, budget: Budget): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isSafeInteger(value) ? `${value}` : formatFloat(value, 'g', -1);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return formatValue(value, 'v', new Flags(budget));
  }
}

/** Go's `fmt.Sprint`: spaces only between operands of which neither is a string. */
export function print(args: readonly Value[], budget: Budget): string {
  let text = '';
  for (let i = 0; i < args.length; i++) {
    if (i > 0 && typeof args[i] !== 'string' && typeof args[i - 1] !== 'string') text += ' ';
    text += display(args[i], budget);
  }
  return text;
}

/** Go's `fmt.Sprintln`. */
export const printLine = (args: readonly Value[], budget: Budget): string =>
  `${args.map((arg) => display(arg, budget)).join(' ')}
`;

/** One operand formatted with one verb. */
export function formatValue(value: Value, verb: string, flags: Flags): string {
  if (value === null || value === undefined) {
    return verb === 'T' || verb === 'v' ? flags.pad('<nil>') : `%!${verb}(<nil>)`;
  }
  if (verb === 'T') return flags.text(typeName(value));
  if (verb === 'p') return badVerb(value, verb, flags);
  return format(value, verb, flags, 0);
}

function format(value: Value, verb: string, flags: Flags, depth: number): string {
  flags.budget.step();
  if (depth > maxPrintDepth)
    throw new LimitReached('template-depth-limit', 'the value is nested too deeply to be printed');
  switch (kindOf(value)) {
    case 'string':
      if (depth > 0) flags.budget.charge((value as string).length);
      return formatText(value as string, verb, flags, value);
    case 'bool':
      return verb === 't' || verb === 'v' ? flags.pad(value ? 'true' : 'false') : badVerb(value, verb, flags);
    case 'float64':
      return formatReal(value instanceof Num ? Number(value.value) : (value as number), verb, flags, value);
    case 'complex128':
      return formatComplex(value as Complex, verb, flags);
    case 'invalid':
      // Inside a list or map, nil is nil whatever the verb.
      return flags.sharpV ? 'interface {}(nil)' : '<nil>';
    case 'slice':
      return formatList(value as readonly Value[], verb, flags, depth);
    case 'map':
      return formatDict(value as Dict, verb, flags, depth);
    default:
  }
  if (value instanceof GoObject) {
    if (flags.sharpV || !'vsxXq'.includes(verb)) return badVerb(value, verb, flags);
    return formatText(value.toString(), verb, flags, value);
  }
  return formatInteger(value instanceof Num ? value.value : (value as number), verb, flags, value);
}

function formatText(text: string, verb: string, flags: Flags, value: Value): string {
  switch (verb) {
    case 'v':
      return flags.sharpV ? flags.quoted(text) : flags.text(text);
    case 's':
      return flags.text(text);
    case 'x':
    case 'X':
      return flags.hexText(text, verb === 'X');
    case 'q':
      return flags.quoted(text);
    default:
      return badVerb(value, verb, flags);
  }
}

function formatInteger(number: number | bigint, verb: string, flags: Flags, value: Value): string {
  switch (verb) {
    case 'v':
      if (flags.sharpV && value instanceof Num && value.type.startsWith('uint')) {
        const hexFlags = Object.assign(new Flags(flags.budget), flags, { sharp: true });
        return hexFlags.integer(number, 16, 'x');
      }
      return flags.integer(number, 10, verb);
    case 'd':
      return flags.integer(number, 10, verb);
    case 'b':
      return flags.integer(number, 2, verb);
    case 'o':
    case 'O':
      return flags.integer(number, 8, verb);
    case 'x':
    case 'X':
      return flags.integer(number, 16, verb);
    case 'c':
      return flags.character(number);
    case 'q':
      return flags.quotedCharacter(number);
    case 'U':
      return flags.unicode(number);
    default:
      return badVerb(value, verb, flags);
  }
}

function formatReal(number: number, verb: string, flags: Flags, value: Value): string {
  switch (verb) {
    case 'v':
      return flags.float(number, 'g', -1);
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return flags.float(number, verb, -1);
    case 'f':
    case 'e':
    case 'E':
      return flags.float(number, verb, 6);
    case 'F':
      return flags.float(number, 'f', 6);
    default:
      return badVerb(value, verb, flags);
  }
}

function formatComplex(value: Complex, verb: string, flags: Flags): string {
  if (!'vbgGxXfFeE'.includes(verb)) return badVerb(value, verb, flags);
  const signed = Object.assign(new Flags(flags.budget), flags, { plus: true });
  return `(${formatReal(value.real, verb, flags, value)}${formatReal(value.imaginary, verb, signed, value)}i)`;
}

function formatList(list: readonly Value[], verb: string, flags: Flags, depth: number): string {
  const items = () => list.map((item) => format(item, verb, flags, depth + 1));
  if (!flags.sharpV) return `[${items().join(' ')}]`;
  return isNilList(list) ? `${typeName(list)}(nil)` : `${typeName(list)}{${items().join(', ')}}`;
}

function formatDict(dict: Dict, verb: string, flags: Flags, depth: number): string {
  const entries = sortedKeys(dict).map(
    (key) => `${format(key, verb, flags, depth + 1)}:${format(dictGet(dict, key), verb, flags, depth + 1)}`,
  );
  return flags.sharpV ? `map[string]${elementType(dict)}{${entries.join(', ')}}` : `map[${entries.join(' ')}]`;
}

/** What Go prints for a verb that the value does not have: `%!d(string=hi)`. */
function badVerb(value: Value, verb: string, flags: Flags): string {
  if (verb === 'v') return flags.text(String(value));
  return `%!${verb}(${typeName(value)}=${formatValue(value, 'v', flags)})`;
}
