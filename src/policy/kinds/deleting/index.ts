/** DeletingPolicy and NamespacedDeletingPolicy: which objects are to go when the schedule says so. */
export { deletingKind } from './kind.ts';
