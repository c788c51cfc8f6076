import { matchesWildcard as match } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';

/** About a tenth of a second; ordinary patterns need far less. */
const maxWork = 20_000_000;

/**
 * True when the text matches the pattern, with `*` for any text and `?` for one character. Both may come from an object,
 * so pairs that would take long are refused with `policy-wildcard-limit`.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (pattern.length * text.length > maxWork && pattern.includes('*') && pattern !== '*') {
    throw new PolicyError(
      'policy-wildcard-limit',
      `a wildcard pattern of ${pattern.length} characters is not matched against ${text.length} characters`,
    );
  }
  return match(pattern, text);
}

/** True when the text contains a wildcard. */
export function containsWildcard(text: string): boolean {
  return text.includes('*') || text.includes('?');
}
