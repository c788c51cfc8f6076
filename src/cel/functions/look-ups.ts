import type { FunctionDecl, Overload } from '../environment.ts';
import { CelHttpClient, type CelLibrary, CelResourceType, type LibraryRequest } from '../library.ts';
import { anyType, boolType, type CelType, dynType, listType, mapType, opaqueType, stringType } from '../types.ts';
import { toDocument } from '../values/json.ts';
import { Abnormal } from '../values/values.ts';
import { declare, member } from './declare.ts';

export const resourceLibraryType = opaqueType('resource.Context');
export const httpLibraryType = opaqueType('http.Context');
export const globalContextLibraryType = opaqueType('globalcontext.Context');
export const imageDataLibraryType = opaqueType('imagedata.Context');
export const generatorLibraryType = opaqueType('generator.Context');
const resourceTypeType = opaqueType('schema.GroupVersionResource');

const anObject = mapType(stringType, anyType);
const texts = mapType(stringType, stringType);

/** Both spellings of a function are valid. */
function bothCases(name: string, forms: (suffix: string) => readonly Overload[]): readonly FunctionDecl[] {
  const camel = `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
  return [declare(name, ...forms('pascal')), declare(name === 'ToGVR' ? 'toGVR' : camel, ...forms('camel'))];
}

type Call = NonNullable<Overload['call']>;
type ResourceRequest = Extract<LibraryRequest, { readonly library: 'resource' }>;

/** A request with what the expression made converted to JSON: the host sees no values of the language. */
function ask({ host }: CelLibrary, request: LibraryRequest): unknown {
  const plain = toDocument(request);
  return plain instanceof Abnormal ? plain : host.ask(plain as LibraryRequest);
}

/**
 * What reads and writes objects of the cluster. In a namespaced policy no function takes a namespace: it is the policy's
 * own.
 */
export function resourceFunctions(isNamespaced: boolean): readonly FunctionDecl[] {
  const place: readonly CelType[] = isNamespaced ? [] : [stringType];
  const split = (args: readonly unknown[]) =>
    isNamespaced ? { rest: args } : { namespace: args[0] as string, rest: args.slice(1) };
  /** By version and resource, and by what `ToGVR` gives. */
  const forms = (id: string, rest: readonly CelType[], make: (rest: readonly unknown[]) => object) =>
    [
      member(`${id}_string_string`, [resourceLibraryType, stringType, stringType, ...place, ...rest], anObject, ((
        library: CelLibrary,
        apiVersion: string,
        resource: string,
        ...args: unknown[]
      ) => request(library, { apiVersion, resource }, args, make)) as Call),
      member(`${id}_gvr`, [resourceLibraryType, resourceTypeType, ...place, ...rest], anObject, ((
        library: CelLibrary,
        { apiVersion, resource }: CelResourceType,
        ...args: unknown[]
      ) => request(library, { apiVersion, resource }, args, make)) as Call),
    ] as const;
  const request = (
    library: CelLibrary,
    of: { apiVersion: string; resource: string },
    args: readonly unknown[],
    make: (rest: readonly unknown[]) => object,
  ) => {
    const { rest, ...where } = split(args);
    return ask(library, { library: 'resource', ...of, ...where, ...make(rest) } as ResourceRequest);
  };
  return [
    ...bothCases('Get', (suffix) =>
      forms(`resource_get_${suffix}`, [stringType], ([name]) => ({ verb: 'get', name: name as string })),
    ),
    ...bothCases('List', (suffix) => [
      ...forms(`resource_list_${suffix}`, [], () => ({ verb: 'list' })),
      ...forms(`resource_list_map_${suffix}`, [texts], ([labels]) => ({ verb: 'list', labels: labels as never })),
    ]),
    ...bothCases('Post', (suffix) => {
      const make = (rest: readonly unknown[]) => ({ verb: 'post', data: rest[0] as never });
      const [withPlace] = forms(`resource_post_${suffix}`, [anObject], make);
      if (isNamespaced) return [withPlace];
      const ofCluster = member(
        `resource_post_cluster_${suffix}`,
        [resourceLibraryType, stringType, stringType, anObject],
        anObject,
        ((library: CelLibrary, apiVersion: string, resource: string, data: unknown) =>
          request(library, { apiVersion, resource }, ['', data], make)) as Call,
      );
      return [withPlace, ofCluster];
    }),
    ...bothCases('ToGVR', (suffix) => [
      member(`convert_to_gvr_${suffix}`, [resourceLibraryType, stringType, stringType], resourceTypeType, ((
        library: CelLibrary,
        apiVersion: string,
        kind: string,
      ) => {
        const resource = ask(library, { library: 'resource', verb: 'map', apiVersion, kind });
        return typeof resource === 'string' ? new CelResourceType(apiVersion, resource) : resource;
      }) as Call),
    ]),
  ];
}

const requestOf = (library: CelLibrary, method: 'GET' | 'POST', url: string, rest: object): unknown =>
  ask(library, {
    library: 'http',
    method,
    url,
    headers: {},
    ...(library instanceof CelHttpClient ? { caBundle: library.caBundle } : {}),
    ...rest,
  });

export const httpFunctions: readonly FunctionDecl[] = [
  ...bothCases('Get', (suffix) => [
    member(`http_get_string_${suffix}`, [httpLibraryType, stringType], anyType, ((library: CelLibrary, url: string) =>
      requestOf(library, 'GET', url, {})) as Call),
    member(`http_get_string_headers_${suffix}`, [httpLibraryType, stringType, texts], anyType, ((
      library: CelLibrary,
      url: string,
      headers: unknown,
    ) => requestOf(library, 'GET', url, { headers })) as Call),
  ]),
  ...bothCases('Post', (suffix) => [
    member(`http_post_string_any_${suffix}`, [httpLibraryType, stringType, dynType], anyType, ((
      library: CelLibrary,
      url: string,
      data: unknown,
    ) => requestOf(library, 'POST', url, { data })) as Call),
    member(`http_post_string_any_headers_${suffix}`, [httpLibraryType, stringType, dynType, texts], anyType, ((
      library: CelLibrary,
      url: string,
      data: unknown,
      headers: unknown,
    ) => requestOf(library, 'POST', url, { data, headers })) as Call),
  ]),
  ...bothCases('Client', (suffix) => [
    member(
      `http_client_string_${suffix}`,
      [httpLibraryType, stringType],
      httpLibraryType,
      (({ host }: CelLibrary, caBundle: string) => new CelHttpClient(host, caBundle)) as Call,
    ),
  ]),
];

export const globalContextFunctions: readonly FunctionDecl[] = bothCases('Get', (suffix) => [
  member(`globalcontext_get_string_${suffix}`, [globalContextLibraryType, stringType], dynType, ((
    library: CelLibrary,
    name: string,
  ) => ask(library, { library: 'globalContext', name, projection: '' })) as Call),
  member(`globalcontext_get_string_string_${suffix}`, [globalContextLibraryType, stringType, stringType], dynType, ((
    library: CelLibrary,
    name: string,
    projection: string,
  ) => ask(library, { library: 'globalContext', name, projection })) as Call),
]);

export const imageDataFunctions: readonly FunctionDecl[] = bothCases('GetMetadata', (suffix) => [
  member(`imagedata_get_string_${suffix}`, [imageDataLibraryType, stringType], dynType, ((
    library: CelLibrary,
    reference: string,
  ) => ask(library, { library: 'image', reference })) as Call),
]);

/** What a generating policy creates: in a namespaced policy in its own namespace. */
export function generatorFunctions(isNamespaced: boolean): readonly FunctionDecl[] {
  const objects = listType(anObject);
  return bothCases('Apply', (suffix) => [
    isNamespaced
      ? member(`generator_apply_list_${suffix}`, [generatorLibraryType, objects], boolType, ((
          library: CelLibrary,
          list: readonly unknown[],
        ) => ask(library, { library: 'generator', objects: list })) as Call)
      : member(`generator_apply_string_list_${suffix}`, [generatorLibraryType, stringType, objects], boolType, ((
          library: CelLibrary,
          namespace: string,
          list: readonly unknown[],
        ) => ask(library, { library: 'generator', namespace, objects: list })) as Call),
  ]);
}
