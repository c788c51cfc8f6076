/**
 * Manifests in files: finds the files and reads their objects with file and line. It does not know kinds.
 *
 * Invariants: an error in a file is one line with its place; everything that is read is returned.
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
