import type { Node } from './ast.ts';
import { type CompileContext, type Evaluator, orNull } from './compile-context.ts';
import { bind, missing } from './scope.ts';

type NodeOf<K extends Node['kind']> = Extract<Node, { kind: K }>;

export function compileVariable({ name, at }: NodeOf<'variable'>): Evaluator {
  return (_, run) => {
    const value = run.bindings === undefined ? missing : run.bindings.get(name);
    if (value === missing) throw run.error('jmespath-unknown-variable', `variable not defined: $${name}`, at);
    return value;
  };
}

/** All values are those outside; the body, and what it hands to functions, sees the names. */
export function compileLet(node: NodeOf<'let'>, context: CompileContext): Evaluator {
  const bindings = node.bindings.map(({ name, value }) => ({ name, value: context.compileNode(value, context) }));
  const body = context.compileNode(node.body, context);
  return (value, run) => {
    const outer = run.bindings;
    run.charge(bindings.length);
    let inner = outer;
    for (const binding of bindings) inner = bind(binding.name, orNull(binding.value(value, run)), inner);
    run.bindings = inner;
    try {
      return body(value, run);
    } finally {
      run.bindings = outer;
    }
  };
}
