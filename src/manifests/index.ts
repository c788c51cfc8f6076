/**
 * Manifests in files: which files there are, and the objects written in them with their places. It knows no kinds.
 *
 * Invariants: a mistake in a file is one line with its place; nothing that was read is left out.
 */
export {
  isTyped,
  parseObjects,
  placeOf,
  readDocuments,
  readObjects,
  shownFile,
  unroll,
  type Written,
} from './documents.ts';
export { type Files, filesNamed, manifestFiles, memoryFiles, nodeFiles } from './files.ts';
