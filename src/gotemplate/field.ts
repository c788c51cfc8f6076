import { CallFailure } from './errors.ts';
import { quote } from './format/quote.ts';
import { checkType } from './functions/signature.ts';
import type { Run } from './run.ts';
import { dictGet, elementType, GoObject, isDict, typeName, type Value } from './values.ts';

interface FieldAccess {
  readonly name: string;
  /** The type Go's reflection sees where it is not the value's own: `interface {}` for what a map or list holds. */
  readonly staticType: string | undefined;
  /** Evaluated only where there is a method to take them; undefined where nothing is passed. */
  readonly args: (() => readonly Value[]) | undefined;
}

/** `.name` of a value: an entry of a map, or a method. */
export function accessField(run: Run, receiver: Value, { name, staticType, args }: FieldAccess): Value {
  if (receiver === undefined) {
    if (run.env.missingKey === 'error') run.fail(`nil data; no entry for key ${quote(name)}`, 'template-missing-key');
    return undefined;
  }
  if (receiver === null) return run.fail(`nil pointer evaluating interface {}.${name}`);
  if (receiver instanceof GoObject) {
    const parameters = Object.hasOwn(receiver.methods, name) ? receiver.methods[name] : undefined;
    if (parameters) return callMethod(run, receiver, name, { parameters, args: args?.() ?? [] });
  } else if (isDict(receiver)) {
    if (args) run.fail(`${name} is not a method but has arguments`);
    const value = dictGet(receiver, name);
    if (value !== undefined) return value;
    if (run.env.missingKey === 'error') run.fail(`map has no entry for key ${quote(name)}`, 'template-missing-key');
    if (run.env.missingKey === 'default') return undefined;
    return elementType(receiver) === 'string' ? '' : null;
  }
  return run.fail(`can't evaluate field ${name} in type ${staticType ?? typeName(receiver)}`);
}

function callMethod(
  run: Run,
  receiver: GoObject,
  name: string,
  { parameters, args }: { readonly parameters: readonly string[]; readonly args: readonly Value[] },
): Value {
  if (args.length !== parameters.length) {
    run.fail(`wrong number of args for ${name}: want ${parameters.length} got ${args.length}`);
  }
  parameters.forEach((type, index) => {
    checkType(run, args[index], type);
  });
  try {
    return receiver.call(name, args);
  } catch (thrown) {
    if (!(thrown instanceof CallFailure)) throw thrown;
    return run.fail(`error calling ${name}: ${thrown.message}`);
  }
}
