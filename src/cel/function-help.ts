import type { Environment, FunctionDecl } from './environment.ts';
import { renderType } from './types.ts';

/** A function or macro as a person looks it up. */
interface FunctionHelp {
  readonly name: string;
  /** Whether it can be called on a receiver, and without one. */
  readonly isMember: boolean;
  readonly isGlobal: boolean;
  /** The types that it can be called on, without parameters: `list`; `dyn` for any. */
  readonly receivers: readonly string[];
  /** `list(string).join(string) -> string`. */
  readonly signatures: readonly string[];
}

/** The functions and macros of an environment by name; operators are left out. */
export function functionHelp({ functions, macros }: Environment): readonly FunctionHelp[] {
  const help = new Map<string, FunctionHelp>();
  for (const declaration of functions.values())
    if (isNamed(declaration.name)) help.set(declaration.name, ofFunction(declaration));
  for (const key of macros.keys()) {
    const { name, isMember, signature } = ofMacro(key);
    if (!isNamed(name)) continue;
    const known = help.get(name);
    help.set(name, {
      name,
      isMember: isMember || known?.isMember === true,
      isGlobal: !isMember || known?.isGlobal === true,
      // Macros loop over lists and maps, but those of optional values.
      receivers: [
        ...(known?.receivers ?? []),
        ...(isMember ? (name.startsWith('opt') ? ['optional_type'] : ['list', 'map']) : []),
      ],
      signatures: [...(known?.signatures ?? []), signature],
    });
  }
  return [...help.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Operators and internal functions have names that nobody can write. */
const isNamed = (name: string) => /^[A-Za-z][\w.]*$/.test(name);

function ofFunction({ name, overloads }: FunctionDecl): FunctionHelp {
  return {
    name,
    isMember: overloads.some(({ isMember }) => isMember),
    isGlobal: overloads.some(({ isMember }) => !isMember),
    receivers: overloads.flatMap(({ isMember, args: [receiver] }) =>
      isMember && receiver !== undefined ? [receiver.kind === 'param' ? 'dyn' : receiver.name] : [],
    ),
    signatures: overloads.map(({ isMember, args, result }) => {
      const types = args.map(renderType);
      const [receiver, ...others] = types;
      const call = isMember ? `${receiver}.${name}(${others.join(', ')})` : `${name}(${types.join(', ')})`;
      return `${call} -> ${renderType(result)}`;
    }),
  };
}

/** Keys are `name/arguments`, with a dot before those of receivers. */
function ofMacro(key: string) {
  const isMember = key.startsWith('.');
  const [name = '', count = '0'] = key.slice(isMember ? 1 : 0).split('/');
  const places = Array.from({ length: Number(count) }, (_, i) => String.fromCharCode(97 + i));
  return { name, isMember, signature: `${isMember ? 'value.' : ''}${name}(${places.join(', ')})  (macro)` };
}
