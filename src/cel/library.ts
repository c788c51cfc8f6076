import { CelOpaque } from './values/values.ts';

/** What an expression asks of the world around it. Its values are plain JSON. */
export type LibraryRequest =
  | (ResourcePlace & { readonly verb: 'get'; readonly name: string })
  | (ResourcePlace & { readonly verb: 'list'; readonly labels?: Readonly<Record<string, string>> })
  | (ResourcePlace & { readonly verb: 'post'; readonly data: Readonly<Record<string, unknown>> })
  | { readonly library: 'resource'; readonly verb: 'map'; readonly apiVersion: string; readonly kind: string }
  | {
      readonly library: 'http';
      readonly method: 'GET' | 'POST';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly caBundle?: string;
      readonly data?: unknown;
    }
  | { readonly library: 'globalContext'; readonly name: string; readonly projection: string }
  | { readonly library: 'image'; readonly reference: string }
  | {
      readonly library: 'generator';
      /** Absent in a namespaced policy. */
      readonly namespace?: string;
      readonly objects: readonly unknown[];
    };

interface ResourcePlace {
  readonly library: 'resource';
  readonly apiVersion: string;
  /** The plural. */
  readonly resource: string;
  /** Absent in a namespaced policy, whose own it is; empty for all namespaces and for what is in none. */
  readonly namespace?: string;
}

/** What the functions of a policy's libraries may use: one per evaluation, made by whoever evaluates. */
export interface LibraryHost {
  /** The time of the request, in milliseconds: expressions see no other clock. */
  now(): number;
  /** Between 0 and 1; repeatable for one object. */
  random(): number;
  /** Text that a regular expression matches, or an error. */
  randomText(pattern: string): unknown;
  /** A PEM certificate or request as JSON, or an error. */
  decodeCertificate(text: string): unknown;
  /** A value, an error, or an unknown that says what must be looked up first. */
  ask(request: LibraryRequest): unknown;
}

/** A library as a variable: what its functions are called on, as in `time.now()`. */
export class CelLibrary extends CelOpaque {
  readonly size = 1;
  constructor(
    readonly typeName: string,
    readonly host: LibraryHost,
  ) {
    super();
  }
  equals(other: unknown): boolean {
    return this === other;
  }
}

/** `http` with certificates of its own. */
export class CelHttpClient extends CelLibrary {
  constructor(
    host: LibraryHost,
    readonly caBundle: string,
  ) {
    super('http.Context', host);
  }
}

/** A resource as the API names it: what `resource.ToGVR` gives. */
export class CelResourceType extends CelOpaque {
  readonly typeName = 'schema.GroupVersionResource';
  readonly size = 1;
  constructor(
    readonly apiVersion: string,
    readonly resource: string,
  ) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    if (!(other instanceof CelResourceType)) return undefined;
    return this.apiVersion === other.apiVersion && this.resource === other.resource;
  }
}
