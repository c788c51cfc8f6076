import { candidateNames, type Environment, typeNamed } from '../environment.ts';
import { type CelType, typeType } from '../types.ts';

/** What a name refers to. */
export type Reference =
  | { readonly kind: 'local'; readonly name: string; readonly type: CelType }
  | { readonly kind: 'variable'; readonly name: string; readonly type: CelType }
  | { readonly kind: 'type'; readonly name: string; readonly type: CelType };

/** The variables of the loops around a place, innermost last, over those of the environment. */
export class Scope {
  private readonly locals: Map<string, CelType>[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly variables: ReadonlyMap<string, CelType>,
  ) {}

  enter(variables: readonly (readonly [string, CelType])[]): void {
    this.locals.push(new Map(variables));
  }

  leave(): void {
    this.locals.pop();
  }

  local(name: string): CelType | undefined {
    for (let i = this.locals.length - 1; i >= 0; i--) {
      const type = this.locals[i]?.get(name);
      if (type) return type;
    }
    return undefined;
  }

  find(name: string): Reference | undefined {
    const type = this.local(name);
    return type ? { kind: 'local', name, type } : this.findGlobal(name);
  }

  /** `a.b.c`, unless `a` is the variable of a loop. */
  findQualified(parts: readonly string[]): Reference | undefined {
    return this.local(parts[0] as string) ? undefined : this.findGlobal(parts.join('.'));
  }

  private findGlobal(name: string): Reference | undefined {
    for (const candidate of candidateNames(this.environment.container, name)) {
      const variable = this.variables.get(candidate);
      if (variable) return { kind: 'variable', name: candidate, type: variable };
      const type = typeNamed(this.environment, candidate);
      if (type) return { kind: 'type', name: candidate, type: typeType(type) };
    }
    return undefined;
  }
}
