import { quote } from '../format/quote.ts';
import { parseFloatText, parseIntegerText } from '../numbers.ts';
import { Complex, narrow } from '../values.ts';
import type { NumberNode } from './ast.ts';
import type { Token } from './token.ts';
import { UnquoteError, unquoteCharacter } from './unquote.ts';

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

/** A number constant under every type that can hold it; throws an Error with Go's message. */
export function parseNumber({ type, text, pos }: Token): NumberNode {
  const node = { kind: 'number', pos, text } as const;
  if (type === 'charConstant') {
    const codePoint = unquoteCharacter(text);
    if (codePoint === undefined) throw new Error(`malformed character constant: ${text}`);
    return { ...node, int: codePoint, uint: codePoint, float: codePoint };
  }
  if (type === 'complex') {
    const split = text.slice(1).search(/[+-](?=[^eEpP]*(?:[eEpP][+-]?\d+)?i$)/) + 1;
    const real = parseFloatText(text.slice(0, split));
    const imaginary = parseFloatText(text.slice(split, -1));
    if (real === undefined || imaginary === undefined) throw new UnquoteError();
    return { ...node, ...fromComplex(new Complex(real, imaginary)) };
  }
  if (text.endsWith('i')) {
    const imaginary = parseFloatText(text.slice(0, -1));
    if (imaginary !== undefined) return { ...node, ...fromComplex(new Complex(0, imaginary)) };
  }
  const integer = parseIntegerText(text, 0);
  const int = integer !== undefined && integer >= minInt && integer <= maxInt ? narrow(integer) : undefined;
  const isUnsigned = integer !== undefined && !/^[+-]/.test(text) && integer <= maxUint;
  const uint = isUnsigned || int === 0 ? narrow(integer!) : undefined;
  if (int !== undefined || uint !== undefined) {
    return { ...node, ...defined(int, uint), float: Number(int ?? uint) };
  }
  const float = parseFloatText(text);
  if (float === undefined) throw new Error(`illegal number syntax: ${quote(text)}`);
  if (!/[.eEpP]/.test(text)) throw new Error(`integer overflow: ${quote(text)}`);
  return { ...node, ...fromFloat(float) };
}

function fromComplex(complex: Complex): Partial<NumberNode> {
  return complex.imaginary === 0 ? { complex, ...fromFloat(complex.real) } : { complex };
}

function fromFloat(float: number): Partial<NumberNode> {
  const whole = Number.isInteger(float) ? BigInt(float) : undefined;
  const int = whole !== undefined && whole >= minInt && whole <= maxInt ? narrow(whole) : undefined;
  const uint = whole !== undefined && whole >= 0n && whole <= maxUint ? narrow(whole) : undefined;
  return { float, ...defined(int, uint) };
}

function defined(int: number | bigint | undefined, uint: number | bigint | undefined): Partial<NumberNode> {
  return { ...(int === undefined ? {} : { int }), ...(uint === undefined ? {} : { uint }) };
}
