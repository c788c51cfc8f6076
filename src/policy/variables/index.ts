/**
 * Variables of policies: `{{ … }}` in texts, keys and whole documents. What a document's text says is split once;
 * resolving touches only the parts that hold a variable. Nothing here knows rules or requests.
 */
export { compileDocument, type DocumentTemplate } from './document-template.ts';
export { compileExpression } from './expression.ts';
export { findVariables, hasVariables, type Occurrence } from './find-variables.ts';
export { expressionPaths, variablePaths } from './read-paths.ts';
export { compileQuery, query, type Resolver } from './resolver.ts';
