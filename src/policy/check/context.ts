import type { ContextEntry } from '../types.ts';
import { findVariables, hasVariables } from '../variables/index.ts';
import { checkExpression, checkPlainExpression, rootNames } from './expressions.ts';
import { cut, Issues } from './issues.ts';
import { isSet, type RuleCheck } from './rule-context.ts';
import { textsOf } from './strings.ts';

const reserved: readonly string[] = [
  'images',
  'request',
  'serviceAccountName',
  'serviceAccountNamespace',
  'element',
  'elementIndex',
];

const sources = ['configMap', 'apiCall', 'imageRegistry', 'variable', 'globalReference'] as const;

/** Entries of a context: of a rule, a loop or a target. */
export function checkContext(check: RuleCheck, context: readonly ContextEntry[] | undefined, path: string): void {
  for (const [i, entry] of (context ?? []).entries()) {
    const place = `${path}[${i}]`;
    checkName(check, entry.name, `${place}.name`);
    const used = sources.filter((source) => isSet(entry[source]));
    if (used.length !== 1) {
      check.issues.error('policy-context', place, `exactly one of ${sources.join(', ')} is required`);
      continue;
    }
    checkEntry(check, entry, place);
  }
  checkCycles(check, context ?? [], path);
}

function checkName({ issues }: RuleCheck, name: string, path: string): void {
  if (name === '') {
    issues.error('policy-context', path, 'a name is required for context entries');
    return;
  }
  const taken = reserved.find((word) => name === word || name.startsWith(`${word}.`));
  if (taken !== undefined) {
    issues.error(
      'policy-context',
      path,
      `entry name ${cut(name)} is invalid as it conflicts with a pre-defined variable ${taken}`,
    );
  }
}

function checkEntry({ issues, policy }: RuleCheck, entry: ContextEntry, path: string): void {
  const { variable, configMap, apiCall, imageRegistry, globalReference } = entry;
  if (isSet(configMap)) {
    for (const field of ['name', 'namespace'] as const) {
      if (!configMap[field]) {
        issues.error(
          'policy-context',
          `${path}.configMap.${field}`,
          `a ${field} is required for configMap context entry`,
        );
      }
    }
  }
  if (isSet(apiCall)) {
    if (apiCall['urlPath'] && isSet(apiCall['service'])) {
      issues.error('policy-context', `${path}.apiCall`, 'a URLPath cannot be used for service API calls');
    }
    if (!apiCall['urlPath'] && !isSet(apiCall['service'])) {
      issues.error('policy-context', `${path}.apiCall`, 'urlPath or service is required');
    }
    checkExpression(apiCall['jmesPath'] as string | undefined, `${path}.apiCall.jmesPath`, issues);
  }
  if (isSet(imageRegistry)) {
    const { reference, jmesPath } = imageRegistry;
    if (reference === '') issues.error('policy-context', `${path}.imageRegistry.reference`, 'is required');
    else if (!hasVariables(reference) && !imageReference.test(reference)) {
      issues.error('policy-context', `${path}.imageRegistry.reference`, `bad image: "${cut(reference)}"`);
    }
    checkExpression(jmesPath, `${path}.imageRegistry.jmesPath`, issues);
  }
  if (isSet(globalReference)) {
    if (policy.isNamespaced) {
      issues.error('policy-context', `${path}.globalReference`, 'is not allowed in namespaced policies');
    }
    if (globalReference.name === '') issues.error('policy-context', `${path}.globalReference.name`, 'is required');
    checkExpression(globalReference.jmesPath, `${path}.globalReference.jmesPath`, issues);
  }
  if (isSet(variable)) checkVariable(variable, `${path}.variable`, issues);
}

/** A rough form: names, a tag, a digest. Whether it exists is known only to the registry. */
const imageReference = /^[\w][\w.\-/:]{0,511}(@[a-z0-9+._-]+:[0-9a-fA-F]{32,})?$/;

function checkVariable(variable: NonNullable<ContextEntry['variable']>, path: string, issues: Issues): void {
  const { value, jmesPath } = variable;
  if (!isSet(value) && !jmesPath) {
    issues.error('policy-context', path, 'a variable must define a value or a jmesPath expression');
  }
  if (isSet(variable.default) && !jmesPath) {
    issues.error(
      'policy-context',
      `${path}.default`,
      'a variable must define a default value only when a jmesPath expression is defined',
    );
  }
  checkExpression(jmesPath, `${path}.jmesPath`, issues);
}

/** An entry that depends on itself can never be resolved. Redefining an earlier entry of the same name is allowed. */
function checkCycles({ issues }: RuleCheck, context: readonly ContextEntry[], path: string): void {
  const needs = context.map((entry, i) =>
    namesIn(entry).flatMap((name) => {
      const earlier = context.slice(0, i).some((other) => other.name === name);
      const at = context.findIndex((other) => other.name === name);
      return earlier || at < 0 ? [] : [at];
    }),
  );
  const done = new Set<number>();
  const visit = (i: number, above: ReadonlySet<number>): void => {
    if (above.has(i)) {
      issues.error('policy-variable-cycle', `${path}[${i}]`, `"${cut(context[i]?.name ?? '')}" is defined by itself`);
    } else if (!done.has(i)) {
      done.add(i);
      for (const next of needs[i] ?? []) visit(next, new Set([...above, i]));
    }
  };
  for (const i of context.keys()) visit(i, new Set());
}

/** The names that an entry reads from the context, in its variables and in plain expressions. */
function namesIn(entry: ContextEntry): readonly string[] {
  const { name: _, ...sources } = entry;
  const expressions = [...textsOf(sources, '')].flatMap(({ text }) =>
    findVariables(text).map((found) => found.expression),
  );
  const jmesPath = entry.variable?.jmesPath;
  if (jmesPath && !isSet(entry.variable?.value) && !hasVariables(jmesPath)) expressions.push(jmesPath);
  return expressions.flatMap((expression) => {
    // Invalid expressions are reported elsewhere.
    const ast = checkPlainExpression(expression, '', new Issues());
    return ast === undefined ? [] : rootNames(ast);
  });
}
