import { compilePipe, declareVariable, type Scope } from './compile-operand.ts';
import { display } from './format/print.ts';
import { quote } from './format/quote.ts';
import type { FunctionTable } from './functions/signature.ts';
import type { CompiledTemplate, Exec, Run, Signal, Source } from './run.ts';
import type { BranchNode, Definition, ListNode, Statement, TemplateNode } from './syntax/ast.ts';
import { type Dict, dictGet, elementType, integerOf, isDict, isTrue, Num, sortedKeys, type Value } from './values.ts';

export function compileDefinition(definition: Definition, source: Source, functions: FunctionTable): CompiledTemplate {
  const scope: Scope = { functions, visible: [], slots: 0, isElement: false };
  declareVariable(scope, '$');
  const exec = compileList(definition.root, scope);
  return { name: definition.name, source, slots: scope.slots, exec };
}

function compileList(list: ListNode, scope: Scope): Exec {
  const steps = list.nodes.map((node) => compileStatement(node, scope));
  if (steps.length === 1) return steps[0]!;
  return (run, dot) => {
    for (let i = 0; i < steps.length; i++) {
      const signal = steps[i]!(run, dot);
      if (signal !== undefined) return signal;
    }
    return undefined;
  };
}

/** Variables declared inside are gone after it. */
function scoped<T>(scope: Scope, work: () => T): T {
  const outer = scope.visible.length;
  const result = work();
  scope.visible.length = outer;
  return result;
}

function compileStatement(node: Statement, scope: Scope): Exec {
  switch (node.kind) {
    case 'text': {
      const { text } = node;
      return (run) => {
        run.node = node;
        run.write(text);
        return undefined;
      };
    }
    case 'action': {
      const evaluate = compilePipe(node.pipe, scope);
      const isSilent = node.pipe.declarations.length > 0;
      return (run, dot) => {
        run.step();
        const value = evaluate(run, dot);
        run.node = node;
        if (typeof value === 'string' && !isSilent) run.write(value);
        else if (!isSilent) run.write(value === undefined ? '<no value>' : display(value, run));
        return undefined;
      };
    }
    case 'break':
    case 'continue':
      return () => node.kind;
    case 'template':
      return compileTemplateCall(node, scope);
    case 'range':
      return compileRange(node, scope);
    default:
      return compileIfOrWith(node, scope);
  }
}

function compileTemplateCall(node: TemplateNode, scope: Scope): Exec {
  const evaluate = node.pipe ? compilePipe(node.pipe, scope) : undefined;
  return (run, dot) => {
    run.node = node;
    run.step();
    const template = run.templates.get(node.name);
    if (!template) return run.fail(`template ${quote(node.name)} not defined`);
    run.call(template, evaluate?.(run, dot));
    return undefined;
  };
}

function compileIfOrWith(node: BranchNode, scope: Scope): Exec {
  return scoped(scope, () => {
    const evaluate = compilePipe(node.pipe, scope);
    const setsDot = node.kind === 'with';
    const { isElement } = scope;
    if (setsDot) scope.isElement = false;
    const then = scoped(scope, () => compileList(node.list, scope));
    scope.isElement = isElement;
    const otherwise = node.elseList && scoped(scope, () => compileList(node.elseList!, scope));
    return (run, dot) => {
      run.step();
      const value = evaluate(run, dot);
      if (!isTrue(value)) return otherwise?.(run, dot);
      return then(run, setsDot ? value : dot);
    };
  });
}

/** One turn of a loop: sets variables and dot, and runs the body. */
type Turn = (run: Run, index: Value, element: Value) => Signal;

function compileRange(node: BranchNode, scope: Scope): Exec {
  return scoped(scope, () => {
    const evaluate = compilePipe(node.pipe, scope, true);
    // An assignment to a variable that nobody declared fails in the pipeline, before any turn.
    const slots = node.pipe.declarations.map(({ names }) => scope.visible.findLast((v) => v.name === names[0])?.slot);
    const otherwise = node.elseList && scoped(scope, () => compileList(node.elseList!, scope));
    const { isElement } = scope;
    scope.isElement = true;
    const body = scoped(scope, () => compileList(node.list, scope));
    scope.isElement = isElement;
    const [first, second] = slots;
    const variables = slots.length;
    const turn: Turn = (run, index, element) => {
      run.step();
      if (second !== undefined) {
        run.frame[first!] = index;
        run.frame[second] = element;
      } else if (first !== undefined) run.frame[first] = element;
      return body(run, element);
    };
    return (run, dot) => {
      run.node = node;
      const value = evaluate(run, dot);
      const { dotType } = run;
      const hasRun = iterate(run, value, { turn, variables });
      run.dotType = dotType;
      return hasRun ? undefined : otherwise?.(run, dot);
    };
  });
}

/** False when there was nothing to go over. */
function iterate(
  run: Run,
  value: Value,
  { turn, variables }: { readonly turn: Turn; readonly variables: number },
): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) {
    run.dotType = elementType(value);
    for (let i = 0; i < value.length; i++) {
      // Holes and undefined are nil, as JSON makes them.
      if (turn(run, i, value[i] ?? null) === 'break') break;
    }
    return value.length > 0;
  }
  if (isDict(value)) return iterateDict(run, value, turn);
  const count = integerOf(value);
  if (count === undefined) return run.fail(`range can't iterate over ${display(value, run)}`);
  if (variables > 1) return run.fail(`can't use ${display(value, run)} to iterate over more than one variable`);
  const type = value instanceof Num ? value.type : undefined;
  run.dotType = undefined;
  for (let i = 0; i < count; i++) {
    if (turn(run, undefined, type === undefined ? i : new Num(type, i)) === 'break') break;
  }
  return count > 0;
}

function iterateDict(run: Run, dict: Dict, turn: Turn): boolean {
  const keys = sortedKeys(dict);
  run.dotType = elementType(dict);
  for (const key of keys) if (turn(run, key, dictGet(dict, key)) === 'break') break;
  return keys.length > 0;
}
