/**
 * What the embedded cluster remembers: objects by key, one revision counter, the recent past for watches,
 * and a journal on disk when asked. It knows nothing of HTTP, kinds or admission.
 */
export type { Collection, Listener } from './collection.ts';
export { type Described, type Entry, entryOf, jsonOf } from './entry.ts';
export { Journal, JournalError } from './journal.ts';
export { type OpenStore, openStore } from './open-store.ts';
export { type Change, Store } from './store.ts';
