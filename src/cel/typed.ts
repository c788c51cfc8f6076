import type { Environment } from './environment.ts';
import { CelCompileError } from './errors.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { compile, type Program, type Variables } from './program.ts';
import { type CelType, sameType } from './types.ts';

/** An expression that is ready, or why it is not. */
export type Compiled =
  | { readonly source: string; readonly program: Program }
  | { readonly source: string; readonly error: string };

interface Wanted {
  readonly variables: Variables;
  /** Any type if absent. */
  readonly types?: readonly CelType[] | undefined;
  readonly environment?: Environment;
}

/** Compiles for one of the types; anything else is refused in the words of the API server. */
export function compileFor(
  source: string,
  { variables, types, environment = kubernetesEnvironment }: Wanted,
): Compiled {
  try {
    const program = compile(source, { variables, environment });
    if (!types || types.some((type) => sameType(type, program.type))) return { source, program };
    const found = fullName(program.type);
    const names = types.map(fullName);
    const must = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    return { source, error: `must evaluate to ${must} but got ${found}` };
  } catch (thrown) {
    if (!(thrown instanceof CelCompileError)) throw thrown;
    const stage = thrown.code === 'cel-program' ? 'program instantiation failed' : 'compilation failed';
    return { source, error: `${stage}: ${thrown.message}` };
  }
}

/** As `type()` shows a type, with its parameters; the type checker has shorter names for some. */
function fullName({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(fullName).join(', ')})`;
}
