/** GeneratingPolicy and NamespacedGeneratingPolicy: objects that come into being beside those that match. */
export { generatingKind } from './kind.ts';
