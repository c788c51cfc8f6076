import { RE2JS, RE2JSException } from 're2js';
import { invalid } from '../errors.ts';
import { maxPatternLength } from '../limits.ts';
import type { Run } from '../run.ts';
import { parseShape, type Shape } from './random-shape.ts';
import { define, type FunctionSpec } from './signature.ts';

/** Text that a regular expression would match, chosen by the environment's randomness. */
export const randomFunctions: readonly FunctionSpec[] = [
  define('random', ['string'], (run, pattern: string) => {
    if (pattern === '') throw invalid('no pattern provided');
    if (pattern.length > maxPatternLength) throw invalid(`the pattern is longer than ${maxPatternLength} characters`);
    try {
      RE2JS.compile(pattern);
    } catch (thrown) {
      if (thrown instanceof RE2JSException) throw invalid(thrown.message, thrown);
      throw thrown;
    }
    return generate(parseShape(pattern), run);
  }),
];

function generate(shape: Shape, run: Run): string {
  run.charge(1);
  switch (shape.kind) {
    case 'text':
      return shape.text;
    case 'class':
      return pick(shape.ranges, run);
    case 'sequence': {
      const text = shape.items.map((item) => generate(item, run)).join('');
      run.chargeText(text.length);
      return text;
    }
    case 'choice':
      return generate(shape.options[below(shape.options.length, run)] as Shape, run);
    case 'repeat': {
      const count = shape.min + below(shape.max - shape.min + 1, run);
      let text = '';
      for (let i = 0; i < count; i++) text += generate(shape.item, run);
      run.chargeText(text.length);
      return text;
    }
  }
}

function pick(ranges: readonly (readonly [number, number])[], run: Run): string {
  const size = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  let index = below(size, run);
  for (const [from, to] of ranges) {
    if (index <= to - from) return String.fromCodePoint(from + index);
    index -= to - from + 1;
  }
  throw invalid('a class of the pattern is empty');
}

function below(limit: number, run: Run): number {
  return Math.min(limit - 1, Math.floor(run.random() * limit));
}
