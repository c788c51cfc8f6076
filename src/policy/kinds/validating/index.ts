/** ValidatingPolicy and NamespacedValidatingPolicy: objects must be as expressions say. */
export { validatingKind } from './kind.ts';
