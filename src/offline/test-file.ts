import type { Files } from '../manifests/index.ts';
import { placeOf, readDocuments } from '../manifests/index.ts';
import { anything, flag, listOf, map, refuse, type Shape, shape, text, wholeNumber } from './strict.ts';
import { type ValuesSpec, valuesShape } from './values.ts';

/** One document of a test file (`cli.kyverno.io/v1alpha1`, kind Test). Paths are relative to the file. */
export interface TestSpec {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly name?: string;
  readonly policies?: readonly string[];
  readonly resources?: readonly string[];
  readonly jsonPayload?: string;
  readonly jsonPayloads?: readonly string[];
  readonly httpPayloads?: readonly string[];
  readonly envoyPayloads?: readonly string[];
  readonly targetResources?: readonly string[];
  readonly variables?: string;
  readonly paramResources?: readonly string[];
  readonly userinfo?: string;
  readonly results?: readonly ExpectedResult[];
  readonly values?: ValuesSpec;
  readonly exceptions?: readonly string[];
  readonly context?: string;
  readonly clusterResources?: readonly string[];
  readonly apiCallResponses?: readonly ApiCallResponse[];
  readonly globalContextEntries?: readonly GlobalContextValue[];
}

export interface ExpectedResult {
  readonly policy: string;
  readonly rule?: string;
  readonly kind?: string;
  readonly result: string;
  readonly resources?: readonly string[];
  readonly resourceSpecs?: readonly ResourceSpec[];
  readonly operation?: string;
  readonly patchedResources?: string;
  readonly generatedResource?: string;
  readonly generatedResources?: readonly string[];
  readonly cloneSourceResource?: string;
  readonly failOnMissingResources?: boolean;
  readonly isValidatingAdmissionPolicy?: boolean;
  readonly isMutatingAdmissionPolicy?: boolean;
  readonly isValidatingPolicy?: boolean;
  readonly isDeletingPolicy?: boolean;
  readonly isImageValidatingPolicy?: boolean;
  readonly isGeneratingPolicy?: boolean;
  readonly isMutatingPolicy?: boolean;
}

interface ResourceSpec {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly name?: string;
}

export interface ApiCallResponse {
  readonly url?: string;
  readonly urlPath?: string;
  readonly method?: string;
  readonly response: { readonly statusCode?: number; readonly body?: unknown };
}

export interface GlobalContextValue {
  readonly name: string;
  readonly data?: unknown;
  readonly resources?: readonly unknown[];
  readonly resourceFiles?: readonly string[];
  readonly fieldPath?: string;
  readonly projections?: readonly { readonly name: string; readonly path: string }[];
}

const resultShape: Shape<ExpectedResult> = {
  policy: text,
  rule: text,
  kind: text,
  result: text,
  resources: listOf(text),
  resourceSpecs: listOf(
    shape<ResourceSpec>({ group: text, version: text, kind: text, namespace: text, subresource: text, name: text }),
  ),
  operation: text,
  patchedResources: text,
  generatedResource: text,
  generatedResources: listOf(text),
  cloneSourceResource: text,
  failOnMissingResources: flag,
  isValidatingAdmissionPolicy: flag,
  isMutatingAdmissionPolicy: flag,
  isValidatingPolicy: flag,
  isDeletingPolicy: flag,
  isImageValidatingPolicy: flag,
  isGeneratingPolicy: flag,
  isMutatingPolicy: flag,
};

const paths = listOf(text);

const testShape: Shape<TestSpec> = {
  apiVersion: text,
  kind: text,
  metadata: map,
  name: text,
  policies: paths,
  resources: paths,
  jsonPayload: text,
  jsonPayloads: paths,
  httpPayloads: paths,
  envoyPayloads: paths,
  targetResources: paths,
  variables: text,
  paramResources: paths,
  userinfo: text,
  results: listOf(shape(resultShape)),
  values: shape(valuesShape),
  exceptions: paths,
  context: text,
  clusterResources: paths,
  apiCallResponses: listOf(
    shape<ApiCallResponse>({
      url: text,
      urlPath: text,
      method: text,
      response: shape<ApiCallResponse['response']>({ statusCode: wholeNumber, body: anything }),
    }),
  ),
  globalContextEntries: listOf(
    shape<GlobalContextValue>({
      name: text,
      data: anything,
      resources: listOf(anything),
      resourceFiles: paths,
      fieldPath: text,
      projections: listOf(shape<{ name: string; path: string }>({ name: text, path: text })),
    }),
  ),
};

const operations = ['CREATE', 'UPDATE', 'DELETE'];

/** Reads every test of a file; unknown fields are rejected. */
export function loadTests(files: Files, file: string): readonly TestSpec[] {
  return readDocuments(files, file).map((document) => {
    const where = placeOf(document);
    const test = shape(testShape)(document.value, where);
    // Old files have another apiVersion, which is accepted; another kind is an error.
    if (test.kind !== undefined && test.kind !== 'Test')
      return refuse(where, `kind: Test is expected here, not ${test.kind}`);
    for (const [index, result] of (test.results ?? []).entries()) checkResult(result, `${where} results[${index}]`);
    return test;
  });
}

function checkResult({ policy, result, operation }: ExpectedResult, where: string): void {
  if (!policy) refuse(where, 'the policy is not named');
  if (!result) refuse(where, 'no result is expected');
  if (operation !== undefined && operation !== '' && !operations.includes(operation))
    refuse(where, `operation ${operation} is none of ${operations.join(', ')}`);
}
