import { findVariables } from '../policy/index.ts';
import { quote } from './cel-text.ts';
import { convertExpression, type ExpressionScope } from './expression.ts';
import { NotConvertible } from './not-convertible.ts';
import { valueOr } from './place.ts';

export interface ConvertedMessage {
  readonly message?: string;
  readonly messageExpression?: string;
}

/** A message, with its variables if they can be converted; otherwise as it is written, and `note` says so. */
export function convertMessage(
  text: string | undefined,
  scope: ExpressionScope,
  path: string,
): { readonly message: ConvertedMessage; readonly note?: string } {
  if (!text) return { message: {} };
  const variables = findVariables(text);
  if (variables.length === 0) return { message: { message: text } };
  const parts: string[] = [];
  let at = 0;
  try {
    for (const { start, end, expression } of variables) {
      if (start > at) parts.push(quote(text.slice(at, start)));
      const { text: value, place, type } = convertExpression(expression, scope, path);
      const shown = place ? valueOr(place, "''") : value;
      parts.push(type === 'string' ? shown : `string(${shown})`);
      at = end;
    }
  } catch (thrown) {
    if (!(thrown instanceof NotConvertible)) throw thrown;
    return { message: { message: text }, note: `${path}: the message keeps its variables as text: ${thrown.reason}` };
  }
  if (at < text.length) parts.push(quote(text.slice(at)));
  return { message: { messageExpression: parts.join(' + ') } };
}
