/** Calls of everything that the environment declares: a function that is added is generated without a word here. */
import type { FunctionDecl } from '../../src/cel/environment.ts';
import type { CelType } from '../../src/cel/types.ts';

export interface CallForm {
  readonly name: string;
  readonly overload: string;
  readonly isMember: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
}

/** Operators and what macros call have no name to call them by; the authorizer needs a cluster. */
const isCallable = ({ name }: FunctionDecl) => /^[a-zA-Z.]\w*/.test(name) && !name.includes('@');
const isAuthorizer = (type: CelType) => type.name.startsWith('kubernetes.authorization.');

export function callForms(functions: ReadonlyMap<string, FunctionDecl>): readonly CallForm[] {
  return [...functions.values()]
    .filter(isCallable)
    .flatMap(({ name, overloads }) =>
      overloads
        .filter(({ args }) => !args.some(isAuthorizer))
        .map(({ id, isMember, args, result }) => ({ name, overload: id, isMember, args, result })),
    );
}

/** A text as CEL's source has it. */
export function quoteCel(text: string): string {
  const escaped = text.replace(
    /[\\'\p{Cc}\ufeff]/gu,
    (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'${escaped}'`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\t': '\\t', '\r': '\\r' };
