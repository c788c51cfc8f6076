import { errorMessage, isJsonObject } from '../../base/index.ts';
import type { Environment, Scope } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import type { ContextEntry } from '../types.ts';
import { compileDocument, compileExpression, type DocumentTemplate, query, type Resolver } from '../variables/index.ts';
import { askFor, type LookUpContext, type LookUpSubject, Need } from './look-up.ts';
import { Layer } from './scope.ts';

/** What context entries are evaluated with, in addition to the scope below them. */
export interface ContextEnvironment extends LookUpContext {
  readonly environment: Environment;
  readonly isDelete: boolean;
  /** Entries of these names are skipped: their values are given by the caller. */
  readonly given?: ReadonlySet<string> | undefined;
}

/** Adds the entries on top of `below`. Each sees the entries before it, and is evaluated on first access. */
export type ContextLoader = (below: Scope, environment: ContextEnvironment) => Scope;

type EntryValue = (resolver: Resolver, environment: ContextEnvironment) => unknown;

export function compileContext(entries: readonly ContextEntry[] | undefined): ContextLoader {
  if (!entries || entries.length === 0) return (below) => below;
  const compiled = entries.map((entry) => ({ name: entry.name, value: compileEntry(entry) }));
  return (below, environment) => {
    let scope = below;
    for (const { name, value } of compiled) {
      if (environment.given?.has(name)) continue;
      const under = scope;
      const resolver = { scope: under, environment: environment.environment, isDelete: environment.isDelete };
      scope = new Layer(new Map([[name, () => load(name, () => value(resolver, environment))]]), under);
    }
    return scope;
  };
}

function load(name: string, work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Need) throw thrown;
    throw new PolicyError('policy-context', `failed to load context entry ${name}: ${errorMessage(thrown)}`, {
      cause: thrown,
    });
  }
}

function compileEntry(entry: ContextEntry): EntryValue {
  if (entry.variable) return compileVariable(entry.name, entry.variable);
  if (entry.configMap) return compileConfigMap(entry.configMap);
  if (entry.apiCall) return compileApiCall(entry.apiCall);
  if (entry.imageRegistry) return compileImageRegistry(entry.imageRegistry);
  if (entry.globalReference) return compileGlobal(entry.globalReference);
  return () => {
    throw new PolicyError('policy-context', `context entry ${entry.name} has no source`);
  };
}

const optional = (value: unknown) => (value === undefined || value === null ? undefined : compileDocument(value));

function compileVariable(
  name: string,
  { value, jmesPath, default: fallback }: NonNullable<ContextEntry['variable']>,
): EntryValue {
  const path = optional(jmesPath);
  const defaults = optional(fallback);
  const document = optional(value);
  return (resolver) => {
    const expression = path ? textOf(path, resolver) : '';
    const defaultValue = defaults?.resolve(resolver) ?? null;
    const result = variableValue(document, expression, defaultValue, resolver);
    if (result === null || result === undefined)
      throw new PolicyError('policy-context', `variable ${name} evaluated to nil`);
    return result;
  };
}

function variableValue(
  document: DocumentTemplate | undefined,
  expression: string,
  defaultValue: unknown,
  resolver: Resolver,
): unknown {
  if (document) {
    const value = document.resolve(resolver);
    return expression === '' ? value : orElse(() => applyPath(expression, value, resolver), defaultValue);
  }
  if (expression === '') return defaultValue;
  return orElse(() => query(resolver, expression), defaultValue) ?? defaultValue;
}

/** Returns the default if the value cannot be found or evaluated; without a default, rethrows. */
function orElse(work: () => unknown, defaultValue: unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Need || defaultValue === null) throw thrown;
    return defaultValue;
  }
}

function compileConfigMap({ name, namespace }: NonNullable<ContextEntry['configMap']>): EntryValue {
  const nameText = compileDocument(name);
  const namespaceText = compileDocument(namespace ?? '');
  return (resolver, context) => {
    const where = textOf(namespaceText, resolver) || context.policyNamespace || 'default';
    const found = answerOf(context, { kind: 'configMap', namespace: where, name: textOf(nameText, resolver) });
    const { data = {}, metadata = {} } = isJsonObject(found) ? found : {};
    return { data, metadata };
  };
}

function compileApiCall(call: Readonly<Record<string, unknown>>): EntryValue {
  const { default: fallback, jmesPath, ...rest } = call;
  const document = compileDocument(rest);
  const path = optional(jmesPath);
  const defaults = optional(fallback);
  return (resolver, context) => {
    const defaultValue = defaults?.resolve(resolver) ?? null;
    return orElse(() => {
      const value = answerOf(context, callLookUp(document.resolve(resolver) as Readonly<Record<string, unknown>>));
      const expression = path ? textOf(path, resolver) : '';
      return expression === '' ? value : applyPath(expression, value, resolver);
    }, defaultValue);
  };
}

function callLookUp(call: Readonly<Record<string, unknown>>): LookUpSubject {
  const method = call['method'] === 'POST' ? 'POST' : 'GET';
  const items = Array.isArray(call['data']) ? (call['data'] as readonly { key: string; value: unknown }[]) : [];
  const data = items.length > 0 ? { data: Object.fromEntries(items.map(({ key, value }) => [key, value])) } : {};
  const service = isJsonObject(call['service']) ? call['service'] : undefined;
  if (!service) return { kind: 'apiCall', method, urlPath: String(call['urlPath'] ?? ''), ...data };
  const headers = (Array.isArray(service['headers']) ? service['headers'] : []) as readonly {
    key: string;
    value: string;
  }[];
  return {
    kind: 'serviceCall',
    method,
    url: String(service['url'] ?? ''),
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    ...(typeof service['caBundle'] === 'string' ? { caBundle: service['caBundle'] } : {}),
    ...data,
  };
}

function compileImageRegistry({
  reference,
  jmesPath,
  imageRegistryCredentials,
}: NonNullable<ContextEntry['imageRegistry']>): EntryValue {
  const referenceText = compileDocument(reference);
  const path = optional(jmesPath);
  return (resolver, context) => {
    const credentials = imageRegistryCredentials === undefined ? {} : { credentials: imageRegistryCredentials };
    const value = answerOf(context, { kind: 'imageData', reference: textOf(referenceText, resolver), ...credentials });
    const expression = path ? textOf(path, resolver) : '';
    return expression === '' ? value : applyPath(expression, value, resolver);
  };
}

function compileGlobal({ name, jmesPath }: NonNullable<ContextEntry['globalReference']>): EntryValue {
  const nameText = compileDocument(name);
  const path = optional(jmesPath);
  return (resolver, context) => {
    const value = answerOf(context, { kind: 'globalContext', name: textOf(nameText, resolver) });
    const expression = path ? textOf(path, resolver) : '';
    return expression === '' ? value : applyPath(expression, value, resolver);
  };
}

function answerOf(context: LookUpContext, lookUp: LookUpSubject): unknown {
  const answer = askFor(context, lookUp);
  if (answer.ok) return answer.value;
  throw new PolicyError('policy-look-up', answer.message);
}

function textOf(template: DocumentTemplate, resolver: Resolver): string {
  const value = template.resolve(resolver);
  return typeof value === 'string' ? value : String(value);
}

function applyPath(expression: string, value: unknown, { environment }: Resolver): unknown {
  return compileExpression(expression).evaluate(value, environment);
}
