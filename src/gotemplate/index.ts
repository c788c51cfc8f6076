/**
 * Go's text/template language, compiled to closures: every action, the built-in functions with Go's printing and
 * comparing, the common sprig functions, errors in Go's words. It knows nothing of images or Kubernetes and does no
 * I/O: no environment, no files, no network; time and randomness come in with the options.
 *
 * Invariants: a rendering never changes its data; it throws nothing but TemplateError; no template, however hostile,
 * runs for long or takes much memory; the same data and options give the same text.
 */
export { compile as compileTemplate } from './program.ts';
