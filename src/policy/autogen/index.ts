/**
 * Rules for pod controllers, derived from rules for Pods. `expandRules` gives what a policy really runs: its own rules,
 * then for each rule that allows it one for controllers with a pod template and one for CronJobs.
 *
 * It only derives: whether a rule is valid is `check`'s business, and what it does is the evaluator's. The result is
 * plain rule data again; inputs are never changed, and parts that stay the same are shared with them.
 */

export { hasContent } from './content.ts';
export { autogenAnnotation, autogenControllers } from './controllers.ts';
export { autogenRuleNames, type ExpandedRule, expandRules } from './expand.ts';
export { containsKind, kindOf, kindsOf } from './kinds.ts';
