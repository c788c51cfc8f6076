/** From a policy as it is written to closures that judge requests; done once per revision of the policy. */
export { type CompiledException, compileException, confineException } from './exceptions.ts';
export { type CompiledPolicy, compilePolicy } from './policy.ts';
export type { CompiledRule } from './rule.ts';
