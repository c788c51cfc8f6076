import { matchesWildcard as match } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';

/** About a tenth of a second; nothing that is meant to match comes near it. */
const maxWork = 20_000_000;

/**
 * True when the pattern, with `*` for any text and `?` for any one character, gives the text. Both may come from an
 * object, so pairs that would take long are refused with `policy-wildcard-limit`.
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

/** True when the text holds a character that stands for others. */
export function containsWildcard(text: string): boolean {
  return text.includes('*') || text.includes('?');
}
