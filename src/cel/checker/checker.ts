import {
  type CallNode,
  type ComprehensionNode,
  type Node,
  operators,
  type SelectNode,
  type StructNode,
} from '../ast.ts';
import { candidateNames, type Environment, type FunctionDecl, type Overload, typeNamed } from '../environment.ts';
import type { Source } from '../source.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  isDyn,
  isDynOrError,
  isOptional,
  listType,
  mapType,
  nullType,
  optionalType,
  param,
  renderType,
  sameType,
  stringType,
  uintType,
  unwrapOptional,
} from '../types.ts';
import { typeNameOf } from '../values/values.ts';
import { type Reference, Scope } from './scope.ts';
import { mostGeneral, Substitutions } from './unify.ts';

/** The call of a function: which of its forms can be meant, and whether the target is only part of the name. */
interface ResolvedCall {
  readonly declaration: FunctionDecl;
  readonly overloads: readonly Overload[];
  readonly isQualified: boolean;
}

/** A tree with the types of its nodes and what its names and calls refer to, by id. */
export interface Checked {
  readonly root: Node;
  readonly type: CelType;
  readonly typeOf: (node: Node) => CelType;
  readonly references: ReadonlyMap<number, Reference>;
  readonly calls: ReadonlyMap<number, ResolvedCall>;
}

/** Finds the type of every node, or throws CelCompileError with all mistakes. */
export function check(
  root: Node,
  source: Source,
  environment: Environment,
  variables: ReadonlyMap<string, CelType>,
): Checked {
  const checker = new Checker(source, environment, new Scope(environment, variables));
  checker.check(root);
  if (source.hasIssues) throw source.error('cel-type');
  return checker.finish(root);
}

const literalTypes: Readonly<Record<string, CelType>> = {
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
  null_type: nullType,
};

class Checker {
  private readonly types = new Map<number, CelType>();
  private readonly references = new Map<number, Reference>();
  private readonly calls = new Map<number, ResolvedCall>();
  private readonly known = new Substitutions();
  private variableCount = 0;

  constructor(
    private readonly source: Source,
    private readonly environment: Environment,
    private readonly scope: Scope,
  ) {}

  finish(root: Node): Checked {
    const { references, calls } = this;
    const typeOf = (node: Node) => this.known.apply(this.types.get(node.id) ?? dynType, true);
    return { root, type: typeOf(root), typeOf, references, calls };
  }

  check(node: Node): CelType {
    const type = this.typeFor(node);
    this.types.set(node.id, type);
    return type;
  }

  private typeFor(node: Node): CelType {
    switch (node.kind) {
      case 'literal':
        return literalTypes[typeNameOf(node.value)] ?? errorType;
      case 'ident': {
        const found = this.scope.find(node.name);
        if (!found) return this.undeclared(node.offset, node.name);
        this.references.set(node.id, found);
        return found.type;
      }
      case 'select':
        return this.checkSelect(node);
      case 'call':
        return node.name === operators.optSelect ? this.checkOptSelect(node) : this.checkCall(node);
      case 'list': {
        let element: CelType | undefined;
        for (const { value, isOptional: optional } of node.items) {
          const type = this.checkElement(value, optional);
          element = this.join(value, element, type);
        }
        return listType(element ?? this.fresh());
      }
      case 'map': {
        let key: CelType | undefined;
        let value: CelType | undefined;
        for (const entry of node.entries) {
          key = this.join(entry.key, key, this.check(entry.key));
          value = this.join(entry.value, value, this.checkElement(entry.value, entry.isOptional));
        }
        return mapType(key ?? this.fresh(), value ?? this.fresh());
      }
      case 'struct':
        return this.checkStruct(node);
      case 'comprehension':
        return this.checkComprehension(node);
    }
  }

  /** An element, or what is in it if it is written with a question mark. */
  private checkElement(node: Node, optional: boolean): CelType {
    const type = this.check(node);
    if (!optional) return type;
    if (!isOptional(type) && !isDyn(type)) this.mismatch(node, optionalType(type), type);
    return unwrapOptional(type);
  }

  private checkSelect(node: SelectNode): CelType {
    const path = node.isTest ? undefined : qualifiers(node);
    const found = path && this.scope.findQualified(path);
    if (found) {
      this.references.set(node.id, found);
      return found.type;
    }
    const type = this.checkField(node, node.operand, node.field, false);
    return node.isTest ? boolType : type;
  }

  private checkOptSelect(node: CallNode): CelType {
    const [operand, field] = node.args as [Node, Node];
    this.types.set(field.id, stringType);
    return this.checkField(node, operand, field.kind === 'literal' ? String(field.value) : '', true);
  }

  private checkField(node: Node, operand: Node, field: string, optional: boolean): CelType {
    const operandType = this.known.apply(this.check(operand), false);
    const type = unwrapOptional(operandType);
    let result = dynType;
    if (type.kind === 'map') result = type.params[1] as CelType;
    else if (type.kind === 'struct') result = this.fieldType(node.offset, type, field);
    else if (type.kind === 'param') this.known.attempt([dynType], [type]);
    else if (!isDynOrError(type)) {
      this.source.report(node.offset, noField(type));
      if (isDeclaredAsObject(type)) result = errorType;
    }
    const found = this.known.apply(result, false);
    return optional || isOptional(operandType) ? optionalType(found) : found;
  }

  private fieldType(offset: number, type: CelType, field: string): CelType {
    const found = type.isOpen ? dynType : type.fields?.get(field);
    if (!found) this.source.report(offset, `undefined field '${field}'`);
    return found ?? errorType;
  }

  private checkCall(node: CallNode): CelType {
    for (const arg of node.args) this.check(arg);
    const { target } = node;
    if (target === undefined) {
      const declaration = this.findFunction(node.name);
      return declaration ? this.resolve(node, declaration, false) : this.undeclared(node.offset, node.name);
    }
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : this.findFunction(`${prefix}.${node.name}`);
    if (qualified) return this.resolve(node, qualified, true);
    this.check(target);
    const declaration = this.findFunction(node.name);
    return declaration ? this.resolve(node, declaration, false) : this.undeclared(node.offset, node.name);
  }

  private findFunction(name: string): FunctionDecl | undefined {
    for (const candidate of candidateNames(this.environment.container, name)) {
      const found = this.environment.functions.get(candidate);
      if (found) return found;
    }
    return undefined;
  }

  private resolve(node: CallNode, declaration: FunctionDecl, isQualified: boolean): CelType {
    const target = isQualified ? undefined : node.target;
    const nodes = target ? [target, ...node.args] : node.args;
    const args = nodes.map((each) => this.types.get(each.id) as CelType);
    if (declaration.name === operators.and || declaration.name === operators.or) {
      return this.resolveLogic(node, declaration, nodes, args);
    }
    const overloads: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const form = this.instantiate(overload);
      if (!this.known.attempt(args, form.args)) continue;
      overloads.push(overload);
      const type = this.known.apply(form.result, false);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = dynType;
    }
    if (result === undefined) return this.noOverload(node, declaration, args, target !== undefined);
    this.calls.set(node.id, { declaration, overloads, isQualified });
    return result;
  }

  private resolveLogic(
    node: CallNode,
    declaration: FunctionDecl,
    nodes: readonly Node[],
    args: readonly CelType[],
  ): CelType {
    let isValid = true;
    for (const [i, type] of args.entries()) {
      if (this.known.attempt([type], [boolType])) continue;
      this.mismatch(nodes[i] as Node, boolType, type);
      isValid = false;
    }
    this.calls.set(node.id, { declaration, overloads: declaration.overloads, isQualified: false });
    return isValid ? boolType : errorType;
  }

  private noOverload(node: CallNode, { name }: FunctionDecl, args: readonly CelType[], isMember: boolean): CelType {
    const shown = args.map((type) => renderType(this.known.apply(type, true)));
    const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    this.source.report(node.offset, `found no matching overload for '${name}' applied to '${signature}'`);
    return errorType;
  }

  /** The types of a form with type parameters of its own for this call. */
  private instantiate({ args, result }: Overload): { args: readonly CelType[]; result: CelType } {
    const fresh = new Map<string, CelType>();
    const rename = (type: CelType): CelType => {
      if (type.kind === 'param') {
        const own = fresh.get(type.name) ?? this.fresh();
        fresh.set(type.name, own);
        return own;
      }
      return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) };
    };
    return { args: args.map(rename), result: rename(result) };
  }

  private checkStruct(node: StructNode): CelType {
    const found = candidateNames(this.environment.container, node.type)
      .map((name) => typeNamed(this.environment, name))
      .find((type) => type !== undefined);
    if (!found) {
      for (const { value } of node.fields) this.check(value);
      return this.undeclared(node.offset, node.type);
    }
    if (found.kind !== 'struct') {
      this.source.report(node.offset, `'${found.name}' is not a message type`);
    }
    for (const field of node.fields) {
      const type = this.checkElement(field.value, field.isOptional);
      if (found.kind !== 'struct') continue;
      const wanted = this.fieldType(field.offset, found, field.name);
      if (this.known.attempt([wanted], [type])) continue;
      const shown = `'${renderType(wanted)}' but provided type is '${renderType(type)}'`;
      this.source.report(field.offset, `expected type of field '${field.name}' is ${shown}`);
    }
    this.references.set(node.id, { kind: 'type', name: found.name, type: found });
    return found.kind === 'struct' ? found : errorType;
  }

  private checkComprehension(node: ComprehensionNode): CelType {
    const range = this.known.apply(this.check(node.range), false);
    const accumulator = this.check(node.init);
    this.scope.enter([[node.accumulator, accumulator]]);
    const [first, second] = this.loopTypes(node, range);
    this.scope.enter([
      [node.variable, first],
      ...(node.variable2 === undefined ? [] : ([[node.variable2, second]] as const)),
    ]);
    this.assert(node.condition, this.check(node.condition), boolType);
    this.assert(node.step, this.check(node.step), accumulator);
    this.scope.leave();
    const result = this.check(node.result);
    this.scope.leave();
    return this.known.apply(result, false);
  }

  private loopTypes({ range: node, variable2 }: ComprehensionNode, range: CelType): readonly [CelType, CelType] {
    const [first, second] = range.params as [CelType, CelType];
    switch (range.kind) {
      case 'list':
        return variable2 === undefined ? [first, first] : [intType, first];
      case 'map':
        return [first, second];
      case 'dyn':
      case 'error':
      case 'param':
        this.known.attempt([dynType], [range]);
        return [dynType, dynType];
      default: {
        const message = 'cannot be range of a comprehension (must be list, map, or dynamic)';
        this.source.report(node.offset, `expression of type '${renderType(range)}' ${message}`);
        return [errorType, errorType];
      }
    }
  }

  private assert(node: Node, type: CelType, wanted: CelType): void {
    if (!this.known.attempt([wanted], [type])) this.mismatch(node, wanted, type);
  }

  private join(node: Node, previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (this.known.attempt([previous], [current])) return mostGeneral(previous, current);
    if (this.environment.allowsMixedLiterals) return dynType;
    this.mismatch(node, previous, current);
    return errorType;
  }

  private mismatch({ offset }: Node, wanted: CelType, found: CelType): void {
    this.source.report(offset, `expected type '${renderType(wanted)}' but found '${renderType(found)}'`);
  }

  private undeclared(offset: number, name: string): CelType {
    this.source.report(offset, `undeclared reference to '${name}' (in container '${this.environment.container}')`);
    return errorType;
  }

  private fresh(): CelType {
    return param(`_var${this.variableCount++}`);
  }
}

/** The names of `a.b.c`; undefined where something else is selected from. */
function qualifiers(node: Node): readonly string[] | undefined {
  if (node.kind === 'ident') return [node.name];
  if (node.kind !== 'select' || node.isTest) return undefined;
  const operand = qualifiers(node.operand);
  return operand && [...operand, node.field];
}

const qualifiedName = (node: Node): string | undefined => qualifiers(node)?.join('.');

/** Kubernetes declares its own types as objects, of which cel-go then finds no definition. */
const isDeclaredAsObject = ({ kind, name }: CelType) => kind === 'opaque' && name.startsWith('kubernetes.');

function noField(type: CelType): string {
  const name = renderType(type);
  return isDeclaredAsObject(type)
    ? `unexpected failed resolution of '${name}'`
    : `type '${name}' does not support field selection`;
}
