import { andThen, isJsonObject, type MaybePromise } from '../base/index.ts';
import { gvkOf, type KubeObject, renderApiVersion } from '../object/index.ts';
import {
  type EvaluationOptions,
  type ExceptionProgram,
  type LookUp,
  type LookUpAnswer,
  newRequestBudget,
  type Payload,
  type Phase,
  type PolicyOperation,
  type PolicyProgram,
  type PolicyRequest,
  type RequestInfo,
  type RuleResult,
  type SilentRule,
} from '../policy/index.ts';
import { evaluate, type ReadyLookUps } from '../runtime/index.ts';
import type { LookUpResolver } from './fake-cluster.ts';
import type { Values } from './values.ts';
import { mergeDeep, type Variables } from './variable-key.ts';

export interface OfflineEvaluatorOptions {
  readonly programs: readonly PolicyProgram[];
  readonly exceptions: readonly ExceptionProgram[];
  readonly values: Values;
  readonly userInfo?: RequestInfo | undefined;
  readonly given: NonNullable<EvaluationOptions['given']>;
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>> | undefined;
  /** The namespace as CEL expressions see it; undefined where nothing is known of it. */
  readonly namespaceObject: (namespace: string) => unknown;
  readonly pluralOf: (apiVersion: string, kind: string) => string;
  /** The current time in expressions. */
  readonly now: number;
  readonly explain?: boolean | undefined;
}

/** The response of one rule for one resource. */
export interface RuleResponse {
  readonly result: RuleResult;
  /** The resource after the mutations of the rule's policy; for phases after mutation, as the rule found it. */
  readonly object: KubeObject | undefined;
}

export interface EngineResponse {
  readonly resource: KubeObject;
  readonly rules: readonly RuleResponse[];
  /** With `explain`: rules that matched and had no result. */
  readonly silent: readonly SilentRule[];
  /** The resource after all mutations. */
  readonly object: KubeObject | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** The last request; all phases of one resource use the same request, except for mutations. */
  readonly request: PolicyRequest;
}

/** Evaluates all policies on a resource, phase by phase. `operation` overrides the values. */
export type OfflineEvaluator = (resource: KubeObject, operation?: PolicyOperation, payload?: Payload) => EngineResponse;
export type AsyncOfflineEvaluator = (resource: KubeObject, signal: AbortSignal) => Promise<EngineResponse>;

type Evaluating = (
  resource: KubeObject,
  operation: PolicyOperation | undefined,
  signal: AbortSignal,
  payload?: Payload,
) => MaybePromise<EngineResponse>;

const phases: readonly Phase[] = ['mutate', 'verifyImages', 'validate', 'generate', 'delete'];
const never = new AbortController().signal;

/** For look-ups without I/O. */
export function createOfflineEvaluator(options: OfflineEvaluatorOptions, resolve: LookUpResolver): OfflineEvaluator {
  const evaluateResource = createEvaluate(options, { answer: resolve });
  return (resource, operation, payload) => {
    const response = evaluateResource(resource, operation, never, payload);
    if (response instanceof Promise) throw new TypeError('a look-up without I/O returned a promise');
    return response;
  };
}

/** For look-ups that need I/O. */
export function createAsyncOfflineEvaluator(
  options: OfflineEvaluatorOptions,
  resolve: (lookUp: LookUp, signal: AbortSignal) => Promise<LookUpAnswer>,
): AsyncOfflineEvaluator {
  const evaluateResource = createEvaluate(options, { answer: resolve });
  return async (resource, signal) => evaluateResource(resource, undefined, signal);
}

function createEvaluate(options: OfflineEvaluatorOptions, lookUps: ReadyLookUps): Evaluating {
  const byPhase = phases
    .map((phase) => ({
      phase,
      programs: options.programs.filter(({ rules }) => rules.some((rule) => rule.phase === phase)),
    }))
    .filter(({ programs }) => programs.length > 0);
  const { exceptions, given, values, explain = false } = options;
  const variables: EvaluationOptions['variables'] = (policy, rule) => values.ruleVariables(policy, rule);
  return (resource, operation, signal, payload) => {
    const namespaceLabels = options.namespaceLabels(resource.metadata.namespace ?? '') ?? {};
    const steps = byPhase.flatMap(({ phase, programs }) =>
      groupsOf(programs, resource, values).map((group) => ({ phase, ...group })),
    );
    const rules: RuleResponse[] = [];
    const silent: SilentRule[] = [];
    // Look-ups of one resource are resolved once, whichever rule needs them.
    const common = {
      exceptions,
      given,
      variables,
      explain,
      lookUps,
      signal,
      known: new Map<string, LookUpAnswer>(),
      budget: newRequestBudget(),
    };
    let object: KubeObject = resource;
    let request: PolicyRequest | undefined;
    let done: MaybePromise<unknown> = null;
    for (const step of steps) {
      done = andThen(done, () => {
        const subject = { resource, object, variables: step.variables, operation, namespaceLabels };
        const current = payload ? payloadRequest(payload, options) : requestOf(subject, options);
        request = current;
        return andThen(evaluate(step.programs, current, { ...common, phase: step.phase }), (evaluation) => {
          silent.push(...evaluation.silent);
          object = addMutations(rules, evaluation.results, current) ?? object;
        });
      });
    }
    return andThen(done, () => {
      request ??= requestOf({ resource, object, variables: {}, operation, namespaceLabels }, options);
      return { resource, rules, silent, object, namespaceLabels, request };
    });
  };
}

interface Group {
  readonly programs: readonly PolicyProgram[];
  readonly variables: Variables;
}

/** Consecutive policies with the same variables run together. */
function groupsOf(programs: readonly PolicyProgram[], resource: KubeObject, values: Values): readonly Group[] {
  if (programs.length === 0) return [];
  const name = resource.metadata.name ?? '';
  const variables = programs.map(({ policy }) => values.variablesFor(policy.metadata.name ?? '', name));
  if (variables.every((tree) => tree === variables[0])) return [{ programs, variables: variables[0]! }];
  return programs.map((program, index) => ({ programs: [program], variables: variables[index]! }));
}

interface Subject {
  readonly resource: KubeObject;
  readonly object: KubeObject;
  readonly variables: Variables;
  readonly operation: PolicyOperation | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

/** A payload is nothing that anybody writes to a cluster. */
function payloadRequest(payload: Payload, { userInfo, now }: OfflineEvaluatorOptions): PolicyRequest {
  const kind = { group: '', version: '', kind: '' };
  return { operation: 'CREATE', kind, subresource: '', payload, namespaceLabels: {}, info: userInfo, uid: '', now };
}

/**
 * The request that writing this object would have made. Variables named `request.object.…` change the object itself.
 */
function requestOf(subject: Subject, options: OfflineEvaluatorOptions): PolicyRequest {
  const { values, userInfo, now } = options;
  const { resource, variables } = subject;
  const { request, ...others } = variables;
  const {
    object: objectChanges,
    oldObject: oldChanges,
    operation: written,
    ...rest
  } = isJsonObject(request) ? request : {};
  const operation = subject.operation ?? operationOf(written);
  const isShown = subject.operation === undefined && written !== undefined && written !== operation;
  const requestVariables = {
    ...rest,
    ...(isShown ? { operation: written } : {}),
    // A creation has no old object; a given one is visible to expressions only.
    ...(operation === 'CREATE' && oldChanges !== undefined ? { oldObject: oldChanges } : {}),
  };
  const current =
    objectChanges === undefined ? subject.object : (mergeDeep(subject.object, objectChanges) as KubeObject);
  const old = oldChanges === undefined ? subject.object : (mergeDeep(subject.object, oldChanges) as KubeObject);
  const kind = gvkOf(resource);
  const parent = values.parentOf(kind);
  const stored = parent?.kind ?? kind;
  const { namespace = '' } = resource.metadata;
  return {
    operation,
    kind: { ...stored, resource: options.pluralOf(renderApiVersion(stored), stored.kind) },
    subresource: parent?.subresource ?? '',
    object: operation === 'DELETE' ? undefined : current,
    oldObject: operation === 'CREATE' ? undefined : old,
    namespaceLabels: subject.namespaceLabels,
    namespaceObject: namespace === '' ? null : (options.namespaceObject(namespace) ?? null),
    info: userInfo,
    uid: resource.metadata.uid ?? JSON.stringify([resource.kind, resource.metadata.namespace, resource.metadata.name]),
    now,
    variables: given(requestVariables) ? { ...others, request: requestVariables } : given(others) ? others : undefined,
  };
}

const given = (variables: object) => Object.keys(variables).length > 0;

/** An operation that is not a write is evaluated as a creation; expressions read the given operation. */
function operationOf(written: unknown): PolicyOperation {
  return written === 'UPDATE' || written === 'DELETE' ? written : 'CREATE';
}

/** Adds the rules in order, each with its policy's object. Returns the object if a rule changed it. */
function addMutations(
  rules: RuleResponse[],
  results: readonly RuleResult[],
  request: PolicyRequest,
): KubeObject | undefined {
  let current = request.object;
  let isChanged = false;
  for (let start = 0; start < results.length; ) {
    const { policy } = results[start]!;
    let end = start;
    for (; end < results.length && results[end]!.policy === policy; end++) {
      const { patched } = results[end]!;
      if (patched && !results[end]!.targets) {
        current = patched;
        isChanged = true;
      }
    }
    for (const result of results.slice(start, end)) rules.push({ result, object: current });
    start = end;
  }
  return isChanged ? current : undefined;
}
