import { dirname, isAbsolute, join } from 'node:path';
import { isJsonObject } from '../base/index.ts';
import type { Files } from '../manifests/index.ts';
import { placeOf, readDocuments, readObjects } from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Payload, PolicyOperation, PolicyProgram } from '../policy/index.ts';
import { createOfflineEvaluator, type EngineResponse, type OfflineEvaluatorOptions } from './evaluator.ts';
import {
  createLookUpResolver,
  type FakeCluster,
  globalContextOf,
  labelsOfNamespace,
  namespaceNamed,
} from './fake-cluster.ts';
import { givenNames } from './given.ts';
import { nameOfPayload, readPayloads } from './payloads.ts';
import { compileExceptions, compilePolicies, type LoadedPolicies, type Rejected, readExceptions } from './policies.ts';
import { readResources, withoutDuplicates } from './resources.ts';
import { isDefinition, type Scopes, scopesOf } from './scope.ts';
import { listOf, map, type Reader, shape, text } from './strict.ts';
import { loadContext } from './test-context.ts';
import type { TestSpec } from './test-file.ts';
import { loadUserInfo } from './user-info.ts';
import { isRuleNamed, loadValues, valuesOf } from './values.ts';

/** Everything a test names, loaded, with an evaluator. */
export interface TestSetup {
  readonly policies: LoadedPolicies;
  readonly unsupported: readonly Rejected[];
  readonly triggers: readonly KubeObject[];
  readonly targets: readonly KubeObject[];
  /** The responses for the triggers, in order; `operation` evaluates them as that operation. */
  responses(operation?: string): readonly EngineResponse[];
  /** The objects of a file in the test's folder. */
  objects(file: string): readonly KubeObject[];
}

interface ClusterFile {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: unknown;
  readonly spec?: { readonly crds?: readonly string[]; readonly resources?: readonly unknown[] };
}

const readClusterFile: Reader<ClusterFile> = shape<ClusterFile>({
  apiVersion: text,
  kind: text,
  metadata: map,
  spec: shape<NonNullable<ClusterFile['spec']>>({ crds: listOf(text), resources: listOf(map) }),
});

export function setUpTest(files: Files, testFile: string, test: TestSpec, now: number): TestSetup {
  const folder = dirname(testFile);
  const at = (path: string) => (isAbsolute(path) ? path : join(folder, path));
  const policies = compilePolicies(unique(test.policies).flatMap((path) => policyFiles(files, at(path))));
  const cluster = loadCluster(files, (test.clusterResources ?? []).map(at), at);
  const scopes = scopesOf(cluster.filter(isDefinition));
  const resourcesOf = (paths: readonly string[] | undefined) =>
    unique(paths).flatMap((path) => resourceFiles(files, at(path), scopes));
  const triggers = withoutDuplicates(resourcesOf(test.resources));
  const targets = resourcesOf(test.targetResources);
  const { exceptions, unsupported } = compileExceptions(readExceptions(files, (test.exceptions ?? []).map(at)));
  const values = valuesOf(test.values ?? (test.variables ? loadValues(files, at(test.variables)) : {}));
  const hasCluster = cluster.length > 0 || (test.clusterResources ?? []).length > 0;
  const context = test.context ? loadContext(files, at(test.context)) : undefined;
  const fakeCluster: FakeCluster = {
    objects: [...triggers, ...targets, ...resourcesOf(test.paramResources), ...cluster],
    scopes,
    resolvesCalls: hasCluster,
    apiCalls: test.apiCallResponses,
    contextObjects: context?.objects,
    images: context?.images,
    globalContext: test.globalContextEntries?.length
      ? globalContextOf(
          test.globalContextEntries,
          (file) => readObjects(files, at(file)).map(({ value }) => value),
          now,
        )
      : undefined,
  };
  const read = new Map<string, readonly KubeObject[]>();
  const objects = (file: string) => {
    const known = read.get(file) ?? resourceFiles(files, at(file), scopes);
    read.set(file, known);
    return known;
  };
  const clones = cloneSources(test, policies.programs, objects);
  const options: OfflineEvaluatorOptions = {
    programs: policies.programs,
    exceptions: [...exceptions, ...policies.exceptions],
    values,
    userInfo: test.userinfo ? loadUserInfo(files, at(test.userinfo)) : undefined,
    given: givenNames({
      configMap: hasCluster,
      apiCall: hasCluster || (test.apiCallResponses ?? []).length > 0,
      globalReference: fakeCluster.globalContext !== undefined,
      imageRegistry: false,
    }),
    namespaceLabels: (namespace) =>
      values.namespaceLabels(namespace) ?? (hasCluster ? labelsOfNamespace(fakeCluster.objects, namespace) : undefined),
    namespaceObject: (namespace) => values.namespaceObject(namespace) ?? namespaceNamed(fakeCluster.objects, namespace),
    pluralOf: (apiVersion, kind) => scopes.pluralOf(apiVersion, kind),
    now,
  };
  const evaluate = createOfflineEvaluator(
    options,
    createLookUpResolver({ ...fakeCluster, objects: [...clones, ...fakeCluster.objects] }),
  );
  const payloads = loadPayloads(files, test, at);
  const byOperation = new Map<string, readonly EngineResponse[]>();
  return {
    policies,
    unsupported: [...policies.unsupported, ...unsupported],
    triggers,
    targets,
    objects,
    responses(operation = '') {
      let responses = byOperation.get(operation);
      if (!responses) {
        responses = [
          ...triggers.map((trigger) => evaluate(trigger, (operation || undefined) as PolicyOperation | undefined)),
          ...payloads.map((payload) => evaluate(nameOfPayload(payload), undefined, payload)),
        ];
        byOperation.set(operation, responses);
      }
      return responses;
    },
  };
}

function loadPayloads(files: Files, test: TestSpec, at: (path: string) => string): readonly Payload[] {
  const { jsonPayload, jsonPayloads = [], httpPayloads = [], envoyPayloads = [] } = test;
  const paths = {
    json: [...(jsonPayload ? [jsonPayload] : []), ...jsonPayloads].map(at),
    http: httpPayloads.map(at),
    envoy: envoyPayloads.map(at),
  };
  return readPayloads(files, paths).map(({ payload }) => payload);
}

const unique = (paths: readonly string[] = []) => [...new Set(paths)];

/** A folder among policies or resources means the manifests in it, without subfolders. */
function inFolder(files: Files, path: string): readonly string[] {
  if (!files.isDirectory(path)) return [path];
  return files
    .list(path)
    .filter(({ name, isDirectory }) => !isDirectory && /\.ya?ml$/.test(name))
    .map(({ name }) => join(path, name));
}

const policyFiles = (files: Files, path: string) => inFolder(files, path).flatMap((file) => readObjects(files, file));

const resourceFiles = (files: Files, path: string, scopes: Scopes): readonly KubeObject[] =>
  inFolder(files, path).flatMap((file) => readResources(files, file, scopes).map(({ value }) => value));

function loadCluster(files: Files, paths: readonly string[], at: (path: string) => string): readonly KubeObject[] {
  const parts = paths.flatMap((path) =>
    readDocuments(files, path).map((document) => readClusterFile(document.value, placeOf(document)).spec ?? {}),
  );
  const definitions = parts.flatMap(({ crds = [] }) =>
    crds.flatMap((path) => readObjects(files, at(path)).map(({ value }) => value)),
  );
  const objects = parts.flatMap(({ resources = [] }) => resources as readonly KubeObject[]);
  // Objects of the fake cluster are taken as they are; only metadata is required.
  return [
    ...definitions,
    ...objects.map((object) => (isJsonObject(object.metadata) ? object : { ...object, metadata: {} })),
  ];
}

/** The clone sources of generate rules: the files that results name for them. */
function cloneSources(
  test: TestSpec,
  programs: readonly PolicyProgram[],
  objects: (file: string) => readonly KubeObject[],
): readonly KubeObject[] {
  const named = (test.results ?? []).filter(
    ({ policy, rule = '', cloneSourceResource }) =>
      cloneSourceResource &&
      programs.some(
        (program) =>
          program.policy.metadata.name === policy.split('/').at(-1) &&
          program.rules.some(({ name, phase }) => phase === 'generate' && isRuleNamed(name, rule)),
      ),
  );
  return unique(named.map(({ cloneSourceResource }) => cloneSourceResource!)).flatMap(objects);
}
