import { lazy } from '../../base/index.ts';
import { compile } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import { findVariables, type Occurrence } from './find-variables.ts';
import { compileVariable, queryVariable, type Resolver } from './resolver.ts';

/** A value that contains variables is resolved again, up to this number of rounds. */
const maxRounds = 32;
const maxTextLength = 1_000_000;

/** Values other than texts are written as JSON in Go's form: sorted keys, `<`, `>` and `&` escaped. */
const asText = lazy(() => compile('to_string(@)'));

/** A text with variables; `path` is its position in the document, for `{{@}}`. */
type TextTemplate = (resolver: Resolver) => unknown;

/** Undefined when the text has nothing to resolve; `\{{` alone is unescaped by the caller's `plainText`. */
export function compileText(text: string, path: readonly string[]): TextTemplate | undefined {
  if (!text.includes('{{')) return undefined;
  const occurrences = findVariables(text);
  if (occurrences.length === 0) return undefined;
  const [first] = occurrences;
  if (occurrences.length === 1 && first!.start === 0 && first!.end === text.length) {
    const whole = first!.expression;
    return whole === '@'
      ? (resolver) => queryVariable(resolver, located(whole, path, resolver))
      : compileVariable(whole);
  }
  return (resolver) => resolveText(text, occurrences, path, resolver);
}

/** `\{{` is an escape for two braces that do not start a variable. */
export function plainText(text: string): string {
  return text.replaceAll('\\{{', '{{');
}

function resolveText(text: string, known: readonly Occurrence[], path: readonly string[], resolver: Resolver): unknown {
  let occurrences = known;
  for (let round = 0; occurrences.length > 0; round++) {
    if (round === maxRounds)
      throw new PolicyError('policy-variable-loop', `variables keep bringing in variables: ${text.slice(0, 200)}`);
    let result = '';
    let at = 0;
    let shallow = false;
    for (const { start, end, expression, isShallow } of occurrences) {
      const value = queryVariable(resolver, located(expression, path, resolver));
      // After the first round the text may be one single variable: then the type of its value is kept too.
      if (start === 0 && end === text.length) return value;
      const inserted =
        typeof value === 'string' ? value : String(asText().evaluate(value ?? null, resolver.environment));
      result += text.slice(at, start) + (isShallow ? inserted.replaceAll('{{', '\\{{') : inserted);
      at = end;
      shallow = isShallow;
    }
    text = result + text.slice(at);
    if (text.length > maxTextLength)
      throw new PolicyError('policy-variable-size', 'a text with variables became larger than 1,000,000 characters');
    occurrences = shallow ? [] : findVariables(text);
  }
  return plainText(text);
}

/** `{{@}}` is the same position in the target if there is one, else in the object. */
function located(expression: string, path: readonly string[], { scope }: Resolver): string {
  if (expression !== '@') return expression;
  const isTarget = typeof scope.get('target') === 'object';
  return [isTarget ? 'target' : 'request.object', ...path.map(jmespathField)].join('.').replaceAll('.[', '[');
}

function jmespathField(part: string): string {
  if (/^\d+$/.test(part)) return `[${part}]`;
  return /^[A-Za-z_]\w*$/.test(part) ? part : JSON.stringify(part);
}
