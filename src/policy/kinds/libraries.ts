import { errorMessage, isJsonObject, lazy } from '../../base/index.ts';
import { CelError, CelUnknown, documentSize, type LibraryHost, type LibraryRequest } from '../../cel/index.ts';
import { compile } from '../../jmespath/index.ts';
import { findAnswer, type LookUpSubject, lookUpKey } from '../context/index.ts';
import type { Run } from '../run/run.ts';

/** Takes what `generator.Apply` is called with: objects, for a namespace where one is named. */
export type GenerateObjects = (objects: readonly unknown[], namespace: string | undefined) => unknown;

type Of<Library extends LibraryRequest['library']> = Extract<LibraryRequest, { readonly library: Library }>;

/** The libraries of CEL for one rule on one request: what they ask for are look-ups of the engine. */
export class RunLibraries implements LibraryHost {
  /** What was asked for so far. Equal look-ups are one unknown: each that is new makes merging slower. */
  private readonly asked = new Map<string, CelUnknown>();

  constructor(
    private readonly run: Run,
    private readonly generate: GenerateObjects | undefined,
  ) {}

  now(): number {
    return this.run.request.now;
  }

  random(): number {
    return this.run.environment.random?.() ?? 0;
  }

  randomText(pattern: string): unknown {
    return this.jmespath('random(@)', pattern);
  }

  decodeCertificate(text: string): unknown {
    return this.jmespath('x509_decode(@)', text);
  }

  ask(asked: LibraryRequest): unknown {
    const find = (subject: LookUpSubject) => this.find(subject);
    switch (asked.library) {
      case 'resource':
        return askResource(asked, this.run.context.policyNamespace, find);
      case 'http':
        return find(serviceCall(asked));
      case 'globalContext':
        return find({ kind: 'globalContext', name: asked.name, ...projectionOf(asked), asLibrary: true });
      case 'image':
        return find({ kind: 'imageData', reference: asked.reference });
      case 'generator':
        if (!this.generate) return new CelError('nothing is generated here');
        return this.generate(asked.objects, asked.namespace);
    }
  }

  private find(subject: LookUpSubject): unknown {
    const { environment, context } = this.run;
    const { budget } = environment;
    if (budget && (budget.left -= unitsPerLookUp + documentSize(subject, budget.left)) < 0) return tooMuchWork();
    const { answer, lookUp } = findAnswer(context, subject);
    const key = lookUpKey(lookUp);
    let unknown = this.asked.get(key);
    if (!unknown) {
      if (this.asked.size >= maxLookUps) return tooManyLookUps();
      this.asked.set(key, (unknown = new CelUnknown([lookUp])));
    }
    if (answer === undefined) return unknown;
    return answer.ok ? (answer.value ?? null) : new CelError(`${failures[subject.kind] ?? ''}${answer.message}`);
  }

  private jmespath(expression: string, value: string): unknown {
    try {
      return compile(expression).evaluate(value, this.run.environment);
    } catch (thrown) {
      return new CelError(errorMessage(thrown));
    }
  }
}

/** Different look-ups of one policy on one request: they are sent together, to the API server or a registry. */
const maxLookUps = 256;
const tooManyLookUps = lazy(
  () => new CelError(`a policy may not look up more than ${maxLookUps} things for one request`),
);
const tooMuchWork = lazy(() => new CelError('the rule takes too much work on this object'));
/** The work to find an answer by its key. */
const unitsPerLookUp = 200;

const failures: Partial<Record<LookUpSubject['kind'], string>> = {
  apiCall: 'failed to get resource: ',
  serviceCall: 'request failed: ',
  imageData: 'failed to get image data: ',
  globalContext: 'failed to get global reference: ',
  resourceName: 'failed to map kind to resource: ',
};

/** Names as the API has them: nothing that could lead out of a path. */
const segment = /^[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?$/;
const apiVersionPattern = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?v[a-z0-9]+$/;

function askResource(asked: Of<'resource'>, policyNamespace: string, find: (subject: LookUpSubject) => unknown) {
  if (asked.verb === 'map') {
    return find({ kind: 'resourceName', apiVersion: asked.apiVersion, resourceKind: asked.kind });
  }
  const { apiVersion, resource, verb } = asked;
  const namespace = asked.namespace ?? policyNamespace;
  const name = verb === 'get' ? asked.name : '';
  const [plural = '', subresource, ...more] = resource.split('/');
  const parts = [plural, ...[namespace, name, subresource].filter((part) => part)] as readonly string[];
  if (!apiVersionPattern.test(apiVersion) || more.length > 0 || !parts.every((part) => segment.test(part)))
    return new CelError(`failed to ${verb} resource: "${apiVersion}", "${resource}" or its name is not valid`);
  if (verb === 'get' && name === '') return new CelError('failed to get resource: resource name may not be empty');
  const place = namespace === '' ? '' : `/namespaces/${namespace}`;
  const path = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}${place}/${plural}`;
  switch (verb) {
    case 'get':
      return find({
        kind: 'apiCall',
        method: 'GET',
        urlPath: `${path}/${name}${subresource ? `/${subresource}` : ''}`,
        asLibrary: true,
      });
    case 'list':
      return withKinds(
        find({ kind: 'apiCall', method: 'GET', urlPath: `${path}${query(asked.labels)}`, asLibrary: true }),
      );
    case 'post':
      return find({ kind: 'apiCall', method: 'POST', urlPath: path, data: asked.data, asLibrary: true });
  }
}

function query(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '' : `?labelSelector=${encodeURIComponent(pairs.sort().join(','))}`;
}

const completed = new WeakMap<object, unknown>();

/** A server leaves out the kind of the items of a list. */
function withKinds(list: unknown): unknown {
  if (!isJsonObject(list) || !Array.isArray(list['items'])) return list;
  const known = completed.get(list);
  if (known !== undefined) return known;
  const { apiVersion, kind, items } = list;
  const itemKind = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  const result = {
    ...list,
    items: items.map((item) => (isJsonObject(item) && item['kind'] ? item : { apiVersion, kind: itemKind, ...item })),
  };
  completed.set(list, result);
  return result;
}

function serviceCall({ method, url, headers, caBundle, data }: Of<'http'>): LookUpSubject {
  return {
    kind: 'serviceCall',
    method,
    url,
    headers,
    ...(caBundle ? { caBundle } : {}),
    ...(method === 'POST' ? { data } : {}),
    asLibrary: true,
  };
}

const projectionOf = ({ projection }: Of<'globalContext'>) => (projection === '' ? {} : { projection });
