/**
 * The Pod Security Standards `baseline` and `restricted`, as Kyverno's podSecurity rules apply them: all controls
 * with their versions, and exclusions by control, image, field and value. It finds the pod in a Pod, a controller or a
 * CronJob. Which objects a rule matches, and exceptions, are handled by the engine.
 *
 * Invariants: pure, no input is changed; violations are data; a pod whose fields have the wrong types, a kind without
 * a pod and a version that is none are PolicyErrors.
 *
 * As upstream and unlike the admission plugin: a check also applies to versions before its first, restricted checks do
 * not stand in for baseline ones, user namespaces relax nothing, and the level `privileged` has every check.
 */
export { controlNames } from './controls.ts';
export { checkPodSecurity, compilePodSecurity } from './evaluate.ts';
export { renderPodSecurityFailure } from './message.ts';
