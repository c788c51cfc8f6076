/** MutatingPolicy and NamespacedMutatingPolicy: objects are changed by apply configurations and JSON patches. */
export { mutatingKind } from './kind.ts';
