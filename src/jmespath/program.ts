import { childrenOf, type Node } from './ast.ts';
import { compileNode } from './compile.ts';
import { type Evaluator, orNull } from './compile-context.ts';
import type { Dialect } from './dialect.ts';
import { JmespathError } from './errors.ts';
import { parse } from './parser.ts';
import { type Environment, Run } from './run.ts';
import { type Missing, missing, Scope } from './scope.ts';
import { measure } from './values.ts';

export interface CompileOptions {
  /** Kyverno's own by default. */
  readonly dialect?: Dialect;
  /**
   * When to refuse an unknown function or a wrong number of arguments: while compiling (default), or only if the
   * call is reached, as Kyverno does.
   */
  readonly checkCalls?: 'compile' | 'evaluate';
}

/** A compiled expression: immutable, without state, to be evaluated any number of times. */
export interface Program {
  readonly expression: string;
  readonly ast: Node;
  /** The result; throws `jmespath-unknown-key` when the path leads to a key that is not there. */
  evaluate(data: unknown, env?: Environment): unknown;
  /** Like `evaluate`, but answers `missing` for an unknown key: no error is built where absence is expected. */
  find(data: unknown, env?: Environment): unknown | Missing;
}

/** Parses and compiles an expression; throws JmespathError for anything that is wrong with it. */
export function compile(expression: string, options: CompileOptions = {}): Program {
  const { dialect = 'kyverno', checkCalls = 'compile' } = options;
  const ast = parse(expression, dialect);
  const evaluator = compileNode(ast, { compileNode, expression, atRoot: true, checkCalls, dialect });
  if (dialect === 'kyverno') return new CompiledProgram(expression, ast, evaluator);
  return new CompiledProgram(expression, ast, (value, run) => orNull(evaluator(value, run)));
}

class CompiledProgram implements Program {
  private readonly canMultiply: boolean;

  constructor(
    readonly expression: string,
    readonly ast: Node,
    private readonly evaluator: Evaluator,
  ) {
    this.canMultiply = countBuilders(ast) > 1;
  }

  evaluate(data: unknown, env?: Environment): unknown {
    const run = this.start(data, env);
    const result = this.finish(data, run);
    if (result === missing) throw run.unknownKey();
    return result;
  }

  find(data: unknown, env?: Environment): unknown | Missing {
    return this.finish(data, this.start(data, env));
  }

  private start(data: unknown, env: Environment | undefined): Run {
    return new Run(this.expression, data instanceof Scope ? data : undefined, data, env);
  }

  private finish(data: unknown, run: Run): unknown | Missing {
    try {
      const result = this.evaluator(data, run);
      if (this.canMultiply) measure(result, run);
      return result;
    } catch (thrown) {
      // A stack or a string that outgrew the engine: possible only with data nested deeper than our parsers allow.
      if (thrown instanceof RangeError && !(thrown instanceof JmespathError)) {
        throw run.error('jmespath-limit', `the evaluation needs too much memory: ${thrown.message}`, 0, thrown);
      }
      throw thrown;
    } finally {
      run.settle();
    }
  }
}

const nestingFunctions: ReadonlySet<string> = new Set([
  'items',
  'object_from_lists',
  'to_array',
  'from_items',
  'group_by',
  'zip',
]);

/**
 * Nodes that build a value around others: two of them, one inside the other, can square the size of the result. A
 * variable may hold what such a node has built.
 */
function countBuilders(node: Node): number {
  const isBuilder =
    node.kind === 'list' ||
    node.kind === 'hash' ||
    node.kind === 'variable' ||
    (node.kind === 'call' && nestingFunctions.has(node.name));
  return childrenOf(node).reduce((sum, child) => sum + countBuilders(child), isBuilder ? 1 : 0);
}
