/** Compiles policies and exceptions to closures that evaluate requests; done once per revision. */
export { type CompiledException, compileException, confineException } from './exceptions.ts';
export { type CompiledPolicy, compilePolicy } from './policy.ts';
export type { CompiledRule } from './rule.ts';
