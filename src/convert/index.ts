/**
 * Classic policies as policies of the CEL kinds. It rewrites match blocks, patterns, conditions and JMESPath expressions
 * as CEL, with the schemas of the built-in kinds, and says what has no equivalent.
 *
 * Invariants: no I/O; what is returned as converted compiles, and blocked the same as the rule on every object that was
 * tried; the same policy gives the same conversion.
 */
export { convertPolicy } from './convert.ts';
