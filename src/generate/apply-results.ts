import { errorMessage } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { deepEqual, gvkOf, type KubeObject, keyOf, renderGvk } from '../object/index.ts';
import type { PolicyProgram, RuleProgram, RuleResult } from '../policy/index.ts';
import type { Downstream } from './downstream-index.ts';
import type { DownstreamWriter } from './downstream-writer.ts';
import { forbiddenCall, GenerateError } from './errors.ts';
import { type Origin, triggerIdentityOf } from './origin.ts';
import { isSynchronized } from './rules.ts';
import type { RuleRun, TriggerContext } from './run-rules.ts';

export interface ApplyEffects {
  /** Called after an object was created for the trigger. */
  created(object: KubeObject, rule: RuleProgram): void;
  changed(target: KubeObject, rule: RuleProgram): void;
  removed(object: KubeObject, rule: string): void;
  /** Called before a synchronized object is written: its kind must be watched from then on. */
  follow(type: ResourceType): Promise<void>;
  /** Called after a policy of expressions has copied an object, if the copy is synchronized. */
  readonly followSource: (source: KubeObject, origin: Origin) => void;
}

interface ApplyOptions {
  readonly program: PolicyProgram;
  readonly rules: readonly RuleProgram[];
  readonly context: TriggerContext;
  readonly subject: KubeObject;
  readonly run: RuleRun;
  /** Synchronized objects that were created for this trigger before. */
  readonly existing: readonly Downstream[];
  readonly writer: DownstreamWriter;
  readonly effects: ApplyEffects;
  readonly signal: AbortSignal;
}

export interface RuleFailure {
  readonly rule: string;
  readonly thrown: unknown;
}

/** Applies the results of the rules. A failing rule does not stop the others. Returns all failures. */
export async function applyResults(options: ApplyOptions): Promise<readonly RuleFailure[]> {
  const failures: RuleFailure[] = [];
  for (const rule of options.rules) {
    const result = options.run.results.find((one) => one.rule === rule);
    try {
      await applyRule(options, rule, result);
    } catch (thrown) {
      options.signal.throwIfAborted();
      failures.push({ rule: rule.name, thrown });
    }
  }
  return failures;
}

/** Combines several failures into one error. A missing permission takes precedence. */
export function combineErrors(failures: readonly RuleFailure[]): unknown {
  const thrown = failures.map((failure) => failure.thrown);
  if (thrown.length === 1) return thrown[0];
  const permission = thrown.find((one) => one instanceof GenerateError && one.code === 'generate-forbidden');
  return permission ?? new GenerateError('generate-rule-failed', thrown.map(errorMessage).join('; '), thrown[0]);
}

async function applyRule(options: ApplyOptions, rule: RuleProgram, result: RuleResult | undefined): Promise<void> {
  if (result?.status === 'error') {
    // Create the objects of the loop elements that succeeded. The objects of the failed ones are unknown, so remove
    // nothing.
    if (result.generated && result.code === undefined) await ensureAll(options, rule, result);
    if (options.run.refused) throw forbiddenCall(options.run.refused);
    throw new GenerateError('generate-rule-failed', `rule ${rule.name}: ${result.message}`);
  }
  if (rule.phase === 'mutate') return changeTargets(options, rule, targetsOf(options, rule, result));
  if (result?.status === 'pass') return result.generated ? generate(options, rule, result) : undefined;
  if (!isSynchronized(rule) || result?.exceptions) return;
  if (!result && matchesOtherwise(options, rule)) return;
  await remove(options, rule, new Set());
}

/** An UPDATE must not remove what a rule for CREATE alone generated. */
function matchesOtherwise({ program, context, subject, run }: ApplyOptions, rule: RuleProgram): boolean {
  const { operation } = context;
  if (operation === 'DELETE') return true;
  const { namespaceLabels, kind } = run;
  const request = { kind, subresource: '', object: subject, uid: '', now: 0, namespaceLabels };
  // A policy of expressions that matches and has no result has conditions, which do not hold.
  if (program.form === 'cel' && rule.mismatchReason({ ...request, operation }) === undefined) return false;
  const other = operation === 'CREATE' ? 'UPDATE' : 'CREATE';
  return rule.mismatchReason({ ...request, operation: other }) === undefined;
}

/** What the rule changes: other objects, or the trigger itself. */
function targetsOf({ context, subject }: ApplyOptions, rule: RuleProgram, result?: RuleResult): readonly KubeObject[] {
  if (rule.actsOnOthers) return result?.targets ?? [];
  const patched = result?.status === 'pass' ? result.patched : undefined;
  if (!patched || context.operation === 'DELETE' || deepEqual(patched, subject)) return [];
  if (identityOf(patched) === identityOf(subject) && patched.metadata.uid === subject.metadata.uid) return [patched];
  const message = `rule ${rule.name}: a mutation must not change the kind, name or namespace of its target`;
  throw new GenerateError('generate-rule-failed', message);
}

async function changeTargets(
  { program, writer, effects, signal }: ApplyOptions,
  rule: RuleProgram,
  targets: readonly KubeObject[],
): Promise<void> {
  for (const target of targets) {
    await writer.change(target, program.key, signal);
    effects.changed(target, rule);
  }
}

async function generate(options: ApplyOptions, rule: RuleProgram, result: RuleResult): Promise<void> {
  const kept = await ensureAll(options, rule, result);
  if (isSynchronized(rule)) await remove(options, rule, kept);
}

/** Ensures that the objects exist. Returns their identities. */
async function ensureAll(
  options: ApplyOptions,
  rule: RuleProgram,
  { generated = [], copies }: RuleResult,
): Promise<ReadonlySet<string>> {
  const { program, context, subject, run, writer, effects, signal } = options;
  const synchronize = isSynchronized(rule);
  const kept = new Set<string>();
  for (const object of generated) {
    kept.add(identityOf(object));
    if (synchronize) await effects.follow(await writer.writableTypeOf(object, program.key, signal));
    const copied = copies?.get(object);
    const source = copied ?? sourceOf(object, rule, run.sources);
    // As upstream, a copy that a policy of expressions has made stays when the policy goes.
    const goesWithPolicy = synchronize && !copied && !rule.spec.generate?.orphanDownstreamOnPolicyDelete;
    const origin: Origin = {
      policy: program.key,
      rule: rule.name,
      trigger: triggerIdentityOf(subject),
      operation: context.operation,
      synchronize,
      ...(goesWithPolicy ? { goesWithPolicy } : {}),
      ...(source
        ? { source: `${renderGvk(gvkOf(source))}/${source.metadata.namespace ?? ''}/${source.metadata.name}` }
        : {}),
    };
    if ((await writer.ensure(object, origin, signal)) === 'created') effects.created(object, rule);
    if (synchronize && copied) effects.followSource(copied, origin);
  }
  return kept;
}

/** Removes objects that the rule generated for the trigger and no longer wants. */
async function remove(
  { existing, writer, effects, signal }: ApplyOptions,
  rule: RuleProgram,
  kept: ReadonlySet<string>,
): Promise<void> {
  for (const { type, object, origin } of existing) {
    if (origin.rule !== rule.name || kept.has(identityOf(object))) continue;
    // Keep a clone whose source is missing: an empty result never deletes anything.
    if (origin.source !== undefined && kept.size > 0) continue;
    if (await writer.remove(type, object, signal)) effects.removed(object, rule.name);
  }
}

const identityOf = (object: KubeObject): string => `${renderGvk(gvkOf(object))} ${keyOf(object)}`;

function sourceOf(object: KubeObject, { spec }: RuleProgram, sources: readonly KubeObject[]): KubeObject | undefined {
  const loops = spec.generate?.foreach ?? [];
  if (![spec.generate, ...loops].some((target) => target?.clone?.name || target?.cloneList)) return undefined;
  const sameKind = sources.filter(({ kind, apiVersion }) => kind === object.kind && apiVersion === object.apiVersion);
  return sameKind.find(({ metadata }) => metadata.name === object.metadata.name) ?? sameKind[0];
}
