import {
  boolType,
  CelCompileError,
  type CelType,
  compile,
  namesIn,
  optionalType,
  type Program,
  stringType,
  type Variables,
} from '../../../cel/index.ts';
import type { Schema, ValidationRule } from '../../../schema/index.ts';
import type { Path } from '../path.ts';
import { type DeclType, declTypeOf } from './decl-type.ts';
import { resolveFieldPath } from './field-path.ts';

/** A rule that is ready, or what is wrong with it. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly variables: Variables;
  readonly program: Program | undefined;
  readonly error: string | undefined;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  readonly usesOldSelf: boolean;
  /** Where its mistakes are told, from the place of the value. */
  readonly place: ((from: Path | undefined) => Path) | undefined;
}

const cache = new WeakMap<Schema, Map<boolean, readonly CompiledRule[]>>();

/** The rules of one node of a schema, compiled once; `isRoot` for a resource or an embedded one. */
export function rulesOf(schema: Schema, isRoot: boolean): readonly CompiledRule[] {
  const known = cache.get(schema) ?? new Map<boolean, readonly CompiledRule[]>();
  cache.set(schema, known);
  let rules = known.get(isRoot);
  if (!rules) {
    const declared = declTypeOf(schema, isRoot, 'selfType');
    rules = declared ? compileRules(schema, declared) : [];
    known.set(isRoot, rules);
  }
  return rules;
}

export function compileRules(schema: Schema, declared: DeclType): readonly CompiledRule[] {
  return (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(rule, schema, declared.type));
}

function compileRule(rule: ValidationRule, schema: Schema, self: CelType): CompiledRule {
  const variables: Variables = new Map([
    ['self', self],
    ['oldSelf', rule.optionalOldSelf ? optionalType(self) : self],
  ]);
  const { messageExpression = '', fieldPath = '' } = rule;
  const compiled = compileFor(rule.rule, variables, boolType, wording);
  const message =
    'program' in compiled && messageExpression !== ''
      ? compileFor(messageExpression, variables, stringType, messageWording)
      : undefined;
  return {
    rule,
    variables,
    program: 'program' in compiled ? compiled.program : undefined,
    error: 'error' in compiled ? compiled.error : undefined,
    message: message && 'program' in message ? message.program : undefined,
    messageError: message && 'error' in message ? message.error : undefined,
    usesOldSelf: 'program' in compiled && namesIn(rule.rule).has('oldSelf'),
    place: fieldPath === '' ? undefined : resolveFieldPath(fieldPath, schema),
  };
}

interface Wording {
  readonly head: string;
  readonly type: string;
  readonly program: string;
}
const wording: Wording = {
  head: 'compilation failed: ',
  type: 'cel expression must evaluate to a bool',
  program: 'program instantiation failed: ',
};
const messageWording: Wording = {
  head: 'messageExpression compilation failed: ',
  type: 'messageExpression must evaluate to a string',
  program: 'messageExpression instantiation failed: ',
};

function compileFor(
  source: string,
  variables: Variables,
  type: CelType,
  { head, type: wrongType, program: failed }: Wording,
): { readonly program: Program } | { readonly error: string } {
  try {
    const program = compile(source, { variables });
    return program.type === type ? { program } : { error: wrongType };
  } catch (thrown) {
    if (!(thrown instanceof CelCompileError)) throw thrown;
    return { error: `${thrown.code === 'cel-program' ? failed : head}${thrown.message}` };
  }
}

const holders = new WeakMap<Schema, boolean>();

/** Whether a node or anything below it has rules. */
export function hasRules(schema: Schema): boolean {
  const known = holders.get(schema);
  if (known !== undefined) return known;
  const { items, additionalProperties, properties = {} } = schema;
  const result =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    (items !== undefined && hasRules(items)) ||
    (typeof additionalProperties === 'object' && hasRules(additionalProperties)) ||
    Object.values(properties).some(hasRules);
  holders.set(schema, result);
  return result;
}
