import { LRUCache } from 'lru-cache';
import { compile, type Program } from '../../jmespath/index.ts';

/**
 * Expressions that only come to be while a policy runs (a variable inside a variable) are few and repeat; those that
 * carry a whole document are not worth keeping. Characters in all: a program takes some forty bytes for each.
 */
const compiled = new LRUCache<string, Program>({
  max: 5_000,
  maxSize: 1_000_000,
  maxEntrySize: 10_000,
  sizeCalculation: (_, text) => text.length + 1,
});

/** Compiles an expression once; functions are checked when they are reached, as Kyverno does. */
export function compileExpression(text: string): Program {
  let program = compiled.get(text);
  if (!program) {
    program = compile(text, { checkCalls: 'evaluate' });
    compiled.set(text, program);
  }
  return program;
}
