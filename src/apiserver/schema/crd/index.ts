/**
 * CustomResourceDefinitions: whether one is acceptable, in the real server's words. CEL rules are accepted and
 * stored; only their form is checked, and `hasCelRules` lets the server say that they are not enforced.
 */
import { type Fields, isObject, listIn } from '../value.ts';

export { checkCrd } from './check.ts';

/** True when a schema holds a CEL rule at any depth. */
export function hasCelRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasCelRules);
  if (!isObject(schema)) return false;
  if (listIn(schema, 'x-kubernetes-validations').length > 0) return true;
  return Object.values(schema as Fields).some(hasCelRules);
}
