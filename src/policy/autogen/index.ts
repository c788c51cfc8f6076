/**
 * Rules for pod controllers, derived from rules for Pods. `expandRules` returns the rules that are evaluated: the policy's
 * own rules, then for each derivable rule one for controllers with a pod template and one for CronJobs.
 *
 * It only derives: `check` validates rules, and `compile` gives them their meaning. The result is plain rule data; inputs
 * are never changed, and unchanged parts are shared with them.
 */

export { hasContent } from './content.ts';
export { autogenAnnotation, autogenControllers } from './controllers.ts';
export { autogenRuleNames, type ExpandedRule, expandRules } from './expand.ts';
export { kindOf, kindsOf } from './kinds.ts';
export { type DerivedSpec, derivedMutations, derivedSpecs } from './specs.ts';
