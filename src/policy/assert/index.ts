/**
 * Assertion trees: a document that another one is held against. Plain keys name fields, keys in brackets are
 * expressions in the community's dialect, `~` visits every element, `->` gives a name to what was found. Pure: what it
 * looks at, the variables and the budget come in, findings go out. Nothing here knows of rules or requests.
 */
export { AssertionError, type AssertionOptions, compileAssertion, type Finding } from './compile.ts';
export { type Notation, orderedKeys, parseNotation } from './notation.ts';
export { assertionPaths } from './read-paths.ts';
