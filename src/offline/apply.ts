import { lineAt, locateYaml, UsageError, type YamlPlace } from '../base/index.ts';
import { parseObjects, placeOf, type Written } from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Batch } from './batches.ts';
import {
  createOfflineEvaluator,
  type EngineResponse,
  type OfflineEvaluator,
  type OfflineEvaluatorOptions,
} from './evaluator.ts';
import { createLookUpResolver, labelsOfNamespace, namespaceNamed } from './fake-cluster.ts';
import { givenNames } from './given.ts';
import { requireJudges, subjectOfPayload, type WrittenPayload } from './payloads.ts';
import { compileExceptions, compilePolicies, type LoadedPolicies, type Rejected } from './policies.ts';
import { settle } from './resources.ts';
import { isDefinition, scopesOf } from './scope.ts';
import type { ApplySetup } from './setup.ts';
import { valuesOf } from './values.ts';

/** The response for a resource, and where it is written: `pods.yaml:12`. */
export interface EvaluatedResource {
  readonly response: EngineResponse;
  readonly file: string;
  /** 0 if it is in no file. */
  readonly line: number;
  /** False if the namespace was filled in and is not in the file. */
  readonly hasNamespace: boolean;
  /** The line of the field at a path such as `/spec/containers/0/image/`; undefined if there is no text. */
  readonly lineAt?: (path: string) => number;
}

/** Compiled policies with their evaluator. */
export interface PolicyApplication {
  readonly policies: LoadedPolicies;
  readonly unsupported: readonly Rejected[];
  /** The options of the evaluator, for an evaluator on a real cluster. */
  readonly evaluatorOptions: OfflineEvaluatorOptions;
  /** Evaluates the resources of a batch in order. */
  evaluateBatch(batch: Batch): Generator<EvaluatedResource>;
  /** Evaluates documents and requests in place of resources, in order; throws for those that no policy judges. */
  evaluatePayloads(payloads: readonly WrittenPayload[]): Generator<EvaluatedResource>;
  /** The custom resource definitions known so far. */
  readonly definitions: readonly KubeObject[];
  /** Adds custom kinds for everything evaluated from now on. */
  learn(definitions: readonly KubeObject[]): void;
}

/** Compiles the loaded policies; throws with all issues if a policy is invalid. */
export function openApplication(setup: ApplySetup): PolicyApplication {
  const policies = compilePolicies(setup.policies);
  if (policies.strangers.length > 0) throw new UsageError('offline-not-a-policy', policies.strangers[0]!);
  if (policies.invalid.length > 0) throw new UsageError('offline-invalid-policy', renderInvalid(policies.invalid));
  const { exceptions, unsupported } = compileExceptions(setup.exceptions);
  const values = valuesOf(setup.values);
  const cluster = setup.cluster ?? [];
  const definitions = cluster.filter(isDefinition);
  let scopes = scopesOf(definitions);
  const objects = cluster.map((object) => settle(object, scopes));
  const hasCluster = setup.cluster !== undefined;
  const evaluatorOptions: OfflineEvaluatorOptions = {
    programs: policies.programs,
    exceptions: [...exceptions, ...policies.exceptions],
    values,
    userInfo: setup.userInfo,
    given: givenNames({ configMap: hasCluster, apiCall: hasCluster, globalReference: false, imageRegistry: false }),
    namespaceLabels: (namespace) => values.namespaceLabels(namespace) ?? labelsOfNamespace(objects, namespace),
    namespaceObject: (namespace) => values.namespaceObject(namespace) ?? namespaceNamed(objects, namespace),
    pluralOf: (apiVersion, kind) => scopes.pluralOf(apiVersion, kind),
    now: setup.now,
    explain: setup.explain,
  };
  const evaluate: OfflineEvaluator = createOfflineEvaluator(
    evaluatorOptions,
    createLookUpResolver({
      objects,
      resolvesCalls: hasCluster,
      // Definitions among the resources are learnt later.
      get scopes() {
        return scopes;
      },
    }),
  );
  const learn = (found: readonly KubeObject[]) => {
    if (found.length === 0) return;
    definitions.push(...found);
    scopes = scopesOf(definitions);
  };
  return {
    policies,
    unsupported: [...policies.unsupported, ...unsupported],
    evaluatorOptions,
    definitions,
    learn,
    *evaluatePayloads(payloads) {
      requireJudges(
        payloads,
        policies.programs.map(({ policy }) => policy),
      );
      for (const written of payloads) {
        const { payload, file, line } = written;
        const response = evaluate(subjectOfPayload(written), undefined, payload);
        // There is no object that could be shown or changed.
        yield { response: { ...response, object: undefined }, file, line, hasNamespace: false };
      }
    },
    *evaluateBatch(batch) {
      const written = parseObjects(batch);
      learn(definitionsAmong(written));
      const lines = linesOf(batch);
      for (const one of written) {
        requireName(one);
        yield {
          response: evaluate(settle(one.value, scopes)),
          file: one.file,
          line: one.line,
          hasNamespace: Boolean(one.value.metadata.namespace),
          lineAt: (path) => lines(one, path),
        };
      }
    },
  };
}

/** Finds lines of fields. The text is parsed for positions only on the first call. */
function linesOf({ text, line }: Batch): (written: Written<KubeObject>, path: string) => number {
  let places: readonly YamlPlace[] | undefined;
  return (written, path) => {
    places ??= locateYaml(text, line);
    const document = places.find((place) => place.line === written.line);
    const parts = path.split('/').filter((part) => part !== '');
    return document ? lineAt(document, [...(written.at ?? []), ...parts]) : written.line;
  };
}

/** The custom resource definitions of a batch. They apply to its other objects, and to later batches. */
export function definitionsOf(batch: Batch): readonly KubeObject[] {
  return batch.text.includes('CustomResourceDefinition') ? definitionsAmong(parseObjects(batch)) : [];
}

const definitionsAmong = (written: readonly Written<KubeObject>[]) =>
  written.map(({ value }) => value).filter(isDefinition);

function requireName(written: Written<KubeObject>): void {
  const { kind, metadata } = written.value;
  if (metadata.name === undefined && metadata.generateName === undefined)
    throw new UsageError('offline-nameless', `${placeOf(written)}: ${kind}: metadata.name is missing`);
}

/** One line per issue: place, message and stable code. */
function renderInvalid(invalid: readonly Rejected[]): string {
  return invalid
    .flatMap(({ place, kind, name, issues }) =>
      issues.map(({ code, path, message }) => `${place}: ${kind} ${name}: ${path || 'policy'}: ${message} (${code})`),
    )
    .join('\n');
}
