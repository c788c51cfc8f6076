/** A separate module, to be loaded when needed: bundled, a CommonJS package keeps its names only behind an export. */
export { Pool } from 'undici';
