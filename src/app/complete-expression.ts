import { isJsonObject, SupercargoError } from '../base/index.ts';
import type { ExpressionLanguage } from './expression-language.ts';

const openers = '([{';
const closers = ')]}';

/**
 * The ways to go on at the end of a line, with the part of the line that they replace. The fields of what stands before a
 * dot are found by evaluating it on the document.
 */
export function completeExpression(
  language: ExpressionLanguage,
  line: string,
  document: unknown,
): { readonly candidates: readonly string[]; readonly replaced: string } {
  const replaced = /[A-Za-z_]\w*$/.exec(line)?.[0] ?? '';
  const before = line.slice(0, line.length - replaced.length);
  const receiver = /\.\??$/.exec(before);
  const names =
    receiver === null
      ? [...language.variables(document), ...functionNames(language, 'isGlobal')]
      : [
          ...fieldsOf(language, trailingOperand(before.slice(0, receiver.index)), document),
          ...functionNames(language, 'isMember'),
        ];
  return { candidates: [...new Set(names)].filter((name) => name.startsWith(replaced)), replaced };
}

const functionNames = ({ functions }: ExpressionLanguage, form: 'isGlobal' | 'isMember') =>
  functions.filter((one) => one[form]).map(({ name }) => `${name}(`);

function fieldsOf(language: ExpressionLanguage, operand: string, document: unknown): readonly string[] {
  if (operand === '') return [];
  try {
    const { value } = language.compile(operand).evaluate(document);
    // A dot after a list goes on with each of its elements in JMESPath.
    const seen = Array.isArray(value) && language.name === 'jp' ? value[0] : value;
    return isJsonObject(seen) ? Object.keys(seen).filter((key) => /^[A-Za-z_]\w*$/.test(key)) : [];
  } catch (thrown) {
    // Nothing is known of what stands before the dot while it is not an expression.
    if (thrown instanceof SupercargoError) return [];
    throw thrown;
  }
}

/** The operand that ends the text: a chain of names, calls and indexes. */
function trailingOperand(text: string): string {
  let depth = 0;
  let start = text.length;
  for (; start > 0; start--) {
    const character = text.charAt(start - 1);
    if (closers.includes(character)) depth++;
    else if (openers.includes(character)) {
      if (depth === 0) break;
      depth--;
    } else if (depth === 0 && !/[\w.?$@"'`*]/.test(character)) break;
  }
  return text.slice(start);
}

/** Whether a bracket is still open at the end of the text, outside quotes. */
export function isIncomplete(text: string): boolean {
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote !== '') {
      if (character === '\\') i++;
      else if (character === quote) quote = '';
    } else if ('\'"`'.includes(character)) quote = character;
    else if (openers.includes(character)) depth++;
    else if (closers.includes(character)) depth--;
  }
  return depth > 0;
}
