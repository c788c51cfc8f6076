/**
 * Variables of policies: `{{ … }}` in texts, keys and whole documents. A document is parsed once; resolving visits only
 * the parts that contain a variable. This folder does not depend on rules or requests.
 */
export { compileDocument, type DocumentTemplate } from './document-template.ts';
export { compileExpression } from './expression.ts';
export { findVariables, hasVariables } from './find-variables.ts';
export { expressionPaths, variablePaths } from './read-paths.ts';
export { compileQuery, query, type Resolver } from './resolver.ts';
