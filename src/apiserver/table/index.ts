/**
 * Objects as rows and columns: what `kubectl get` prints is decided by the API server, here.
 * Pure: no clock of its own, no store; the same objects and time give the same table. It does not negotiate
 * content types and does not know which custom resources exist: the caller passes their columns.
 */
export { renderTable } from './render-table.ts';
