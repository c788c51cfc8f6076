/**
 * Assertion trees: a document that a value is compared with. Plain keys name fields, keys in parentheses are expressions
 * in the JMESPath community dialect, `~` visits every element, `->` binds a value to a name. Pure: value, variables and
 * budget are inputs, findings are outputs. This folder does not depend on rules or requests.
 */
export { AssertionError, type AssertionOptions, compileAssertion, type Finding } from './compile.ts';
export { type Notation, orderedKeys, parseNotation } from './notation.ts';
export { assertionPaths } from './read-paths.ts';
