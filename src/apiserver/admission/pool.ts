/**
 * A separate module, so that it is loaded on demand: in a bundle, a CommonJS package keeps its names only behind an
 * export.
 */
export { Pool } from 'undici';
