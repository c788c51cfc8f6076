/**
 * Rules in CEL of custom resources: what they see of a value, whether a definition may have them, and what they say of an
 * object. Pure; rules are compiled once for each schema.
 */
export { checkSchemaRules } from './check-rules.ts';
export { resolveFieldPath } from './field-path.ts';
export { typeOfObjects } from './object-type.ts';
export { hasRules } from './rules.ts';
export { checkRules } from './validator.ts';
