import { CelLibrary, type PolicyLanguage } from '../../cel/index.ts';
import { namespaceValue, requestValue, wholeNamespaceValue } from '../cel/index.ts';
import type { PolicyRequest } from '../request.ts';
import type { Run } from '../run/run.ts';
import { type GenerateObjects, RunLibraries } from './libraries.ts';

/** The first places of `scopeOf`; libraries and the variables of the policy follow. */
const places = { object: 0, oldObject: 1, request: 2, namespaceObject: 3, allowances: 4, libraries: 5 } as const;

/** Where the values come from: the evaluator itself, so that nothing is made for places that no expression reads. */
export interface InputSources {
  readonly run: Run;
  readonly language: PolicyLanguage;
  /** What exceptions allow; in admission policies, the parameter. */
  readonly allowances: unknown;
  readonly generate?: GenerateObjects | undefined;
  makeVariables(): unknown;
}

/**
 * The values of `scopeOf` for one request, those of the variables behind them. Each is made when the first expression
 * reads it: most policies read nothing but the object, and making the others takes longer than evaluating.
 */
export class KindInputs {
  /** By place; what no expression has read is missing. */
  readonly values: unknown[];
  /** Bits of the places that have their values. */
  private made = 1 << places.object;
  private libraries: RunLibraries | undefined;

  constructor(private readonly sources: InputSources) {
    const { payload, object = payload?.value ?? null } = sources.run.request;
    this.values = [object];
  }

  /** Gives values to the places that an expression reads. */
  provide(reads: readonly number[]): void {
    for (let i = 0; i < reads.length; i++) {
      const place = reads[i] as number;
      if ((this.made & (1 << place)) !== 0) continue;
      this.made |= 1 << place;
      this.values[place] = this.make(place);
    }
  }

  setObject(object: unknown): void {
    this.values[places.object] = object;
  }

  /** As if neither the request nor its old object were there. */
  hideRequest(): void {
    for (const place of [places.oldObject, places.request]) {
      this.made |= 1 << place;
      this.values[place] = undefined;
    }
  }

  private namespaceObject(run: Run): unknown {
    const known = sharedOf(run.request).namespaceObject(run.readsNamespace);
    return known === undefined ? wholeNamespaceValue(run) : known;
  }

  private make(place: number): unknown {
    const { run, language, allowances, generate } = this.sources;
    switch (place) {
      case places.oldObject:
        return run.request.oldObject ?? null;
      case places.request:
        return sharedOf(run.request).request;
      case places.namespaceObject:
        return this.namespaceObject(run);
      case places.allowances:
        return allowances;
      default: {
        const type = [...language.libraries.values()][place - places.libraries];
        if (!type) return this.sources.makeVariables();
        this.libraries ??= new RunLibraries(run, generate);
        return new CelLibrary(type.name, this.libraries);
      }
    }
  }
}

const shared = new WeakMap<PolicyRequest, SharedInputs>();

/** One value for all policies on a request. */
function sharedOf(request: PolicyRequest): SharedInputs {
  let known = shared.get(request);
  if (!known) shared.set(request, (known = new SharedInputs(request)));
  return known;
}

/** A document has no request and no namespace. */
class SharedInputs {
  private madeRequest: unknown;
  private madeNamespace: unknown;

  constructor(private readonly of: PolicyRequest) {}

  get request(): unknown {
    const { payload, object = null, oldObject = null } = this.of;
    if (payload) return null;
    this.madeRequest ??= { ...requestValue(this.of), object, oldObject };
    return this.madeRequest;
  }

  /** Undefined where it must be looked up. */
  namespaceObject(readsAll: boolean): unknown {
    const { payload, namespaceObject } = this.of;
    if (payload) return null;
    if (namespaceObject !== undefined) return namespaceObject;
    if (readsAll) return undefined;
    this.madeNamespace ??= namespaceValue(this.of);
    return this.madeNamespace;
  }
}
