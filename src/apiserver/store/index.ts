/**
 * The storage of the embedded cluster: objects by key, one revision counter, the recent history for watches, and an
 * optional journal on disk. It does not depend on HTTP, kinds or admission.
 */
export type { Collection } from './collection.ts';
export { type Described, type Entry, entryOf, jsonOf } from './entry.ts';
export { Journal, JournalError } from './journal.ts';
export { openStore } from './open-store.ts';
export { type Change, Store } from './store.ts';
