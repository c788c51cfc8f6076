import { LRUCache } from 'lru-cache';
import { compile, type Program } from '../../jmespath/index.ts';

/**
 * The cache size, in characters of expressions; a program needs about forty bytes per character. Expressions that are
 * built at run time (a variable inside a variable) are few and repeat; those with a whole document are not cached.
 */
const compiled = new LRUCache<string, Program>({
  max: 5_000,
  maxSize: 1_000_000,
  maxEntrySize: 10_000,
  sizeCalculation: (_, text) => text.length + 1,
});

/** Compiles an expression once; as in Kyverno, functions are checked when they are called. */
export function compileExpression(text: string): Program {
  let program = compiled.get(text);
  if (!program) {
    program = compile(text, { checkCalls: 'evaluate' });
    compiled.set(text, program);
  }
  return program;
}
