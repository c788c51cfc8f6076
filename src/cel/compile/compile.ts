import {
  type CallNode,
  type ComprehensionNode,
  type IdentNode,
  type Node,
  operators,
  type SelectNode,
} from '../ast.ts';
import type { CallCost } from '../environment.ts';
import { CelCompileError } from '../errors.ts';
import { lenientOrValue } from '../macros.ts';
import { CelError, CelTypeValue, noSuchOverload, typeNameOf } from '../values/values.ts';
import { attributePlan, resolver, testPlan } from './attribute.ts';
import { compileCall, implementation } from './call.ts';
import { compileEquality } from './equality.ts';
import { compileAppend, compileExistsOne, compileInsert, compileQuantifier, type Loop } from './fold.ts';
import { compileList, compileMap, compileStruct } from './literal.ts';
import { compileLogic, compileNot } from './logic.ts';
import { compileMembership } from './membership.ts';
import { compileHasValue, compileLenientOrValue, compileOr } from './optional.ts';
import {
  attributeOf,
  type Context,
  constantPlan,
  type Eval,
  type Local,
  type Plan,
  type Step,
  withSteps,
} from './plan.ts';
import { goTypeOf, isKey } from './qualify.ts';

/** The plan of a checked node. */
export function compileNode(node: Node, context: Context): Plan {
  switch (node.kind) {
    case 'literal':
      return constantPlan(node.value);
    case 'ident':
      return compileReference(node, context) ?? constantPlan(noSuchOverload);
    case 'select':
      return compileReference(node, context) ?? compileSelect(node, context);
    case 'call':
      return compileOperator(node, context);
    case 'list':
      return compileList(
        node,
        node.items.map(({ value }) => compileNode(value, context)),
      );
    case 'map':
      return compileMap(
        node,
        node.entries.map(({ key }) => compileNode(key, context)),
        node.entries.map(({ value }) => compileNode(value, context)),
      );
    case 'struct':
      return compileStruct(
        node,
        context.checked.references.get(node.id)?.name ?? node.type,
        node.fields.map(({ value }) => compileNode(value, context)),
      );
    case 'comprehension':
      return compileComprehension(node, context);
  }
}

function compileReference(node: IdentNode | SelectNode, context: Context): Plan | undefined {
  const reference = context.checked.references.get(node.id);
  if (!reference) return undefined;
  const { kind, name, type } = reference;
  if (kind === 'type') return constantPlan(new CelTypeValue(type.params[0]?.name ?? name));
  if (kind === 'local') {
    return attributePlan({ kind: 'path', ...(context.locals.get(name) as Local), steps: [] });
  }
  const index = context.inputs.get(name) as number;
  context.reads.add(index);
  const absent = new CelError(`no such attribute(s): ${name}`);
  const base: Eval = (frame) => {
    const value = frame.inputs[index];
    return value === undefined ? absent : value;
  };
  return attributePlan({ kind: 'path', base, place: index, steps: [] });
}

function compileSelect({ operand, field, isTest }: SelectNode, context: Context): Plan {
  const attribute = attributeOf(compileNode(operand, context));
  if (isTest) return testPlan(withSteps(attribute, { kind: 'test', name: field }));
  return attributePlan(withSteps(attribute, { kind: 'field', name: field, isOptional: false }));
}

function compileOperator(node: CallNode, context: Context): Plan {
  const { name, args } = node;
  const compile = (each: Node) => compileNode(each, context);
  switch (name) {
    case operators.and:
    case operators.or:
      return {
        eval: compileLogic(
          termsOf(node).map((term) => compile(term).eval),
          name === operators.or,
        ),
      };
    case operators.conditional: {
      const [condition, yes, no] = args.map(compile) as [Plan, Plan, Plan];
      return attributePlan({
        kind: 'branch',
        condition: condition.eval,
        yes: attributeOf(yes),
        no: attributeOf(no),
      });
    }
    case operators.equals:
    case operators.notEquals:
      return { eval: compileEquality(compile(args[0] as Node), compile(args[1] as Node), name) };
    case operators.index:
    case operators.optIndex:
    case operators.optSelect:
      return compileIndex(node, name !== operators.index, context);
    default:
      return compileFunction(node, context);
  }
}

/** All terms of a chain of one operator. */
export function termsOf(node: CallNode): readonly Node[] {
  return node.args.flatMap((arg) => (arg.kind === 'call' && arg.name === node.name ? termsOf(arg) : [arg]));
}

function compileIndex({ args }: CallNode, isOptional: boolean, context: Context): Plan {
  const attribute = attributeOf(compileNode(args[0] as Node, context));
  const index = compileNode(args[1] as Node, context);
  let step: Step;
  if (index.constant) {
    const { value } = index.constant;
    if (!isKey(value)) {
      throw new CelCompileError('cel-program', `invalid qualifier type: ${goTypeOf(typeNameOf(value))}`, []);
    }
    step =
      typeof value === 'string' ? { kind: 'field', name: value, isOptional } : { kind: 'key', key: value, isOptional };
  } else if (index.attribute) {
    step = { kind: 'index', index: resolver(index.attribute), isOptional };
  } else step = { kind: 'index', index: index.eval, isOptional };
  return attributePlan(withSteps(attribute, step));
}

/** Conversions of constants are done once, and what they refuse is refused while compiling. */
const conversions: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

function compileFunction(node: CallNode, context: Context): Plan {
  const resolved = context.checked.calls.get(node.id);
  if (!resolved) return constantPlan(noSuchOverload);
  const { declaration, overloads, isQualified } = resolved;
  const nodes = node.target && !isQualified ? [node.target, ...node.args] : node.args;
  const plans = nodes.map((each) => compileNode(each, context));
  const { name } = declaration;
  const overload = overloads.length === 1 ? (overloads[0]?.id ?? '') : '';
  if ((name === 'or' && isOr(overload)) || (name === 'orValue' && isOrValue(overload))) {
    const [receiver, other] = plans as [Plan, Plan];
    return { eval: compileOr(receiver, other.eval, name === 'orValue') };
  }
  if (overload === 'in_list') {
    const membership = compileMembership(plans[0] as Plan, plans[1] as Plan);
    if (membership) return membership;
  }
  const call = implementation(declaration, overloads);
  const [argument] = plans;
  if (conversions.has(name) && plans.length === 1 && argument?.constant) {
    const value = call(argument.constant.value);
    if (value instanceof CelError) throw new CelCompileError('cel-program', value.message, []);
    return constantPlan(value);
  }
  const cost = context.environment.costOf(name, overload);
  const special = compileSpecial(name, plans, cost);
  if (special) return { eval: special };
  if (parsers.has(name) && plans.length === 1 && argument?.constant)
    return parsedOnce(call, cost, argument.constant.value);
  const literal = plans[1]?.constant?.value;
  const prepared = typeof literal === 'string' ? context.environment.prepare(name, literal) : undefined;
  if (prepared instanceof CelError) throw new CelCompileError('cel-program', prepared.message, []);
  return { eval: compileCall(prepared ?? call, cost, plans) };
}

/** Functions without a cost of their own that are cheaper than a call where their arguments are of the usual form. */
function compileSpecial(name: string, plans: readonly Plan[], cost: CallCost | undefined): Eval | undefined {
  const [first, second] = plans;
  if (cost || !first) return undefined;
  if (name === operators.not) return compileNot(first.eval);
  if (name === lenientOrValue && second) return compileLenientOrValue(first, second);
  return name === 'hasValue' ? compileHasValue(first) : undefined;
}

/** Functions that make the same value of the same text every time. */
const parsers: ReadonlySet<string> = new Set(
  'quantity semver ip cidr url isQuantity isSemver isIP isCIDR isURL'.split(' '),
);

/** The text is read once; the cost is that of a call. */
function parsedOnce(call: (value: unknown) => unknown, cost: CallCost | undefined, text: unknown): Plan {
  const value = call(text);
  const units = cost ? cost(text, undefined, value) : 1;
  return {
    eval: (frame) => {
      frame.charge(units);
      return value;
    },
  };
}

const isOr = (overload: string) => overload === '' || overload === 'optional_or_optional';
const isOrValue = (overload: string) => overload === '' || overload === 'optional_orValue_value';

function compileComprehension(node: ComprehensionNode, context: Context): Plan {
  const { form, variable, variable2 } = node;
  const { depth } = context;
  context.reserve(depth + 2);
  if (form.kind === 'bind') return compileBind(node, context);
  const range = compileNode(node.range, context).eval;
  const loop: Loop = { range, slot: depth, slot2: variable2 === undefined ? undefined : depth + 1 };
  const locals = new Map(context.locals);
  locals.set(variable, slotReader(depth));
  if (variable2 !== undefined) locals.set(variable2, slotReader(depth + 1));
  const inside: Context = { ...context, locals, depth: depth + 2 };
  switch (form.kind) {
    case 'one':
      return { eval: compileExistsOne(loop, compileNode(form.predicate, inside).eval) };
    case 'append':
      return {
        eval: compileAppend(loop, form.filter && compileNode(form.filter, inside).eval, compileNode(form.item, inside)),
      };
    case 'insert': {
      const filter = form.filter && compileNode(form.filter, inside).eval;
      const key = form.key && compileNode(form.key, inside).eval;
      return { eval: compileInsert(loop, filter, key, compileNode(form.item, inside).eval) };
    }
    default:
      return { eval: compileQuantifier(loop, compileNode(form.predicate, inside).eval, form.kind === 'exists') };
  }
}

/** A variable that is kept in a slot of the frame. */
export const slotReader = (slot: number): Local => ({ base: (frame) => frame.slots[slot], place: ~slot });

const pending = Symbol('pending');

/** The variable is worked out when it is first read. */
function compileBind(node: ComprehensionNode, context: Context): Plan {
  const slot = context.depth;
  // It may be worked out in the middle of a loop of the result, so their variables must not share places.
  let top = slot + 1;
  const reserve = (slots: number) => {
    top = Math.max(top, slots);
    context.reserve(slots);
  };
  const init = compileNode(node.init, { ...context, depth: slot + 1, reserve }).eval;
  const read: Eval = (frame) => {
    const known = frame.slots[slot];
    if (known !== pending) return known;
    const value = init(frame);
    frame.slots[slot] = value;
    return value;
  };
  const locals = new Map(context.locals).set(node.accumulator, { base: read });
  const result = compileNode(node.result, { ...context, locals, depth: top }).eval;
  return {
    eval: (frame) => {
      frame.slots[slot] = pending;
      return result(frame);
    },
  };
}
