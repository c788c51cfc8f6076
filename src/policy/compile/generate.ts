import { errorMessage, isJsonObject } from '../../base/index.ts';
import type { KubeObject, LabelSelector } from '../../object/index.ts';
import { askFor, compileContext, Need } from '../context/index.ts';
import { PolicyError } from '../errors.ts';
import { parseKindSelector } from '../match/index.ts';
import { errored, pass, type RuleOutcome } from '../run/outcome.ts';
import { type Run, resolverOf, withContext } from '../run/run.ts';
import type { GenerateSpec, GenerateTargetSpec } from '../types.ts';
import { compileDocument } from '../variables/index.ts';
import { compileConditions } from './conditions.ts';
import { elementRun, listElements, loopList, unmetPreconditions } from './validate.ts';

/** The desired objects, and the errors of elements that could not be rendered. */
interface DesiredObjects {
  readonly objects: readonly KubeObject[];
  readonly problems?: readonly string[];
}

type Generator = (run: Run) => DesiredObjects;

/** Renders the downstream objects of a generate rule; the caller writes them. */
export function compileGenerate(spec: GenerateSpec): (run: Run) => RuleOutcome {
  const generator = spec.foreach ? compileForEach(spec.foreach) : single(compileTarget(spec));
  return (run) => {
    try {
      const { objects, problems = [] } = generator(run);
      const outcome = problems.length === 0 ? pass('') : failedElements(problems);
      return objects.length === 0 ? outcome : { ...outcome, generated: objects };
    } catch (thrown) {
      if (thrown instanceof Need) throw thrown;
      return errored(`variable substitution failed: ${errorMessage(thrown)}`);
    }
  };
}

const single =
  (generate: (run: Run) => readonly KubeObject[]): Generator =>
  (run) => ({ objects: generate(run) });

const maxNamed = 3;

function failedElements(problems: readonly string[]): RuleOutcome {
  const more = problems.length > maxNamed ? `; and ${problems.length - maxNamed} more` : '';
  return errored(`variable substitution failed: ${problems.slice(0, maxNamed).join('; ')}${more}`);
}

function compileTarget({
  apiVersion,
  kind,
  namespace,
  name,
  data,
  clone,
  cloneList,
}: GenerateTargetSpec): (run: Run) => readonly KubeObject[] {
  const template = compileDocument({ apiVersion, kind, namespace, name, data, clone, cloneList });
  return (run) => {
    const target = template.resolve(resolverOf(run)) as GenerateTargetSpec;
    if (target.cloneList?.kinds) return cloneAll(run, target);
    if (target.clone?.name) return cloneOne(run, target);
    return [fromData(target)];
  };
}

function fromData({ apiVersion, kind, namespace, name, data }: GenerateTargetSpec): KubeObject {
  const content = isJsonObject(data) ? data : {};
  const metadata = isJsonObject(content['metadata']) ? content['metadata'] : {};
  return {
    ...content,
    apiVersion: String(apiVersion ?? ''),
    kind: String(kind ?? ''),
    metadata: { ...metadata, name: textOf(name), ...(namespace ? { namespace: textOf(namespace) } : {}) },
  } as KubeObject;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : String(value ?? ''));

function cloneOne(run: Run, { apiVersion, kind, namespace, name, clone }: GenerateTargetSpec): readonly KubeObject[] {
  const from = { namespace: clone?.namespace ?? '', name: clone?.name ?? '' };
  if (from.namespace === (namespace ?? '') && from.name === name) return [];
  const [source] = find(run, { apiVersion: apiVersion ?? '', kind: kind ?? '', ...from });
  if (!source)
    throw new PolicyError(
      'policy-clone-source',
      `source resource ${apiVersion}/${kind}/${from.namespace}/${from.name} not found`,
    );
  return [copyOf(source, textOf(name), namespace)];
}

function cloneAll(run: Run, { namespace, cloneList }: GenerateTargetSpec): readonly KubeObject[] {
  const { namespace: from = '', kinds = [], selector } = cloneList ?? {};
  if (from === (namespace ?? '')) return [];
  return kinds.flatMap((text) => {
    const { group, version, kind } = parseKindSelector(text) ?? { group: '*', version: '*', kind: text };
    const apiVersion = version === '*' ? '' : group === '*' ? version : `${group}/${version}`;
    const sources = find(run, { apiVersion, kind, namespace: from, ...(selector ? { selector } : {}) });
    return sources.map((source) => copyOf(source, source.metadata.name ?? '', namespace));
  });
}

interface Source {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name?: string;
  readonly selector?: LabelSelector;
}

function find(run: Run, { apiVersion, kind, namespace, name, selector }: Source): readonly KubeObject[] {
  const answer = askFor(run.context, {
    kind: 'resources',
    apiVersion,
    resourceKind: kind,
    ...(namespace === '' ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(selector === undefined ? {} : { selector }),
  });
  if (!answer.ok) throw new PolicyError('policy-look-up', answer.message);
  return answer.value as readonly KubeObject[];
}

/** A copy of the clone source without its server-set metadata and status. */
function copyOf(source: KubeObject, name: string, namespace: string | undefined): KubeObject {
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    managedFields: ____,
    generation: _____,
    ...metadata
  } = source.metadata;
  const { status: ______, ...rest } = source;
  const { ownerReferences, ...others } = metadata;
  const keepsOwners = ownerReferences !== undefined && metadata.namespace === namespace;
  return {
    ...rest,
    metadata: { ...others, ...(keepsOwners ? { ownerReferences } : {}), name, ...(namespace ? { namespace } : {}) },
  } as KubeObject;
}

function compileForEach(loops: NonNullable<GenerateSpec['foreach']>): Generator {
  const compiled = loops.map((loop) => ({
    ...loopList(loop.list),
    load: compileContext(loop.context),
    preconditions: compileConditions(loop.preconditions, 'foreach.preconditions'),
    generate: compileTarget(loop),
  }));
  return (run) => {
    const objects: KubeObject[] = [];
    const problems: string[] = [];
    for (const { list, find, load, preconditions, generate } of compiled) {
      const elements = listElements(run, { list, find });
      if ('unknown' in elements) continue;
      if ('error' in elements) throw elements.error;
      for (const [index, element] of elements.items.entries()) {
        if (element === null || element === undefined) continue;
        run.trace?.({ kind: 'element', list, index, element, depth: run.nesting });
        try {
          const inside = withContext(elementRun(run, element, index), load);
          const unmet = unmetPreconditions(preconditions, inside);
          if (unmet?.status === 'error') throw new PolicyError('policy-condition', unmet.message);
          if (!unmet) objects.push(...generate(inside));
        } catch (thrown) {
          if (thrown instanceof Need) throw thrown;
          // A failed look-up for one element must not prevent the objects of the others.
          problems.push(errorMessage(thrown));
        }
      }
    }
    return { objects, problems };
  };
}
