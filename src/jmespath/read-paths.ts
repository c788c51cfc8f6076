import type { Node } from './ast.ts';

/** Names of fields, from the data an expression is evaluated on. `*` stands for any field or element. */
export type ReadPath = readonly string[];

export const anyField = '*';

/** Deeper steps tell nothing more to callers, and bound the work on a hostile expression. */
const maxSteps = 4;
const maxPaths = 64;
const whole: readonly ReadPath[] = [[]];
/** Any part of the data. Further steps do not narrow it, as they would narrow `whole`. */
const unknown: readonly ReadPath[] = [[anyField]];

/**
 * Which parts of the data an expression can read. A path means everything below it. It errs on the side of more: a
 * value that goes into a function, a list, a hash or a comparison is read as a whole.
 */
export function readPaths(ast: Node, from: readonly ReadPath[] = whole): readonly ReadPath[] {
  const reader = new PathReader(from);
  reader.read(ast, from);
  return reader.found;
}

class PathReader {
  found: readonly ReadPath[] = [];

  constructor(private readonly root: readonly ReadPath[]) {}

  /** The value of the node is used as a whole. */
  read(node: Node, current: readonly ReadPath[]): void {
    const used = this.follow(node, current);
    this.found = bounded([...this.found, ...used]);
  }

  /** The paths that the value of the node may come from; empty for a value that is none of the data's. */
  private follow(node: Node, current: readonly ReadPath[]): readonly ReadPath[] {
    switch (node.kind) {
      case 'current':
        return current;
      case 'root':
        return this.root;
      case 'field':
        return step(current, node.name);
      case 'sub':
      case 'pipe':
        return this.follow(node.right, this.follow(node.left, current));
      case 'index':
      case 'slice':
        return step(this.follow(node.left, current), anyField);
      case 'flatten':
        return this.follow(node.left, current);
      case 'projection':
      case 'values':
        return this.follow(node.right, step(this.follow(node.left, current), anyField));
      case 'filter': {
        const elements = step(this.follow(node.left, current), anyField);
        this.read(node.condition, elements);
        return this.follow(node.right, elements);
      }
      case 'or':
      case 'and':
        return bounded([...this.follow(node.left, current), ...this.follow(node.right, current)]);
      case 'list':
        for (const item of node.items) this.read(item, current);
        return [];
      case 'hash':
        for (const { value } of node.entries) this.read(value, current);
        return [];
      case 'compare':
      case 'arithmetic':
        this.read(node.left, current);
        this.read(node.right, current);
        return [];
      case 'not':
      case 'sign':
        this.read(node.operand, current);
        return [];
      case 'call':
        for (const argument of node.args) this.read(argument, current);
        return [];
      // Its elements are those of another argument, which is read as a whole; `$` leads out of them.
      case 'reference':
        this.read(node.body, []);
        return [];
      case 'let':
        for (const { value } of node.bindings) this.read(value, current);
        return this.follow(node.body, current);
      case 'literal':
      case 'variable':
        return [];
    }
  }
}

function step(paths: readonly ReadPath[], name: string): readonly ReadPath[] {
  return bounded(paths.map((path) => (path.length < maxSteps ? [...path, name] : path)));
}

function bounded(paths: readonly ReadPath[]): readonly ReadPath[] {
  if (paths.length < 2) return paths;
  const distinct = [...new Map(paths.map((path) => [path.join('\0'), path])).values()];
  return distinct.length > maxPaths ? unknown : distinct;
}
