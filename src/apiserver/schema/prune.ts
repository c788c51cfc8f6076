import type { Schema } from '../../schema/index.ts';
import { quote } from './go-text.ts';
import { renderTrail } from './path.ts';
import { type Plan, planOf } from './plan.ts';
import { type Fields, isObject } from './value.ts';

interface PruneOptions {
  /** The schema of ObjectMeta, by which metadata is pruned where a custom resource's schema says nothing of it. */
  readonly objectMeta?: Schema;
}

interface Pruned<T> {
  /** The very object that was given when nothing had to go. */
  readonly object: T;
  /** Where the dropped fields were: `spec.containers[0].foo`. */
  readonly dropped: readonly string[];
}

/** Drops what the schema does not know. The root always keeps apiVersion, kind and metadata. */
export function pruneUnknown<T extends Fields>(object: T, schema: Schema, options: PruneOptions = {}): Pruned<T> {
  const plan = planOf(schema);
  const walk = new PruneWalk(options.objectMeta ? planOf(options.objectMeta) : undefined);
  const pruned = plan.preserve ? walk.keep(object, plan, true) : walk.object(object, plan, true);
  // The real server sorts for custom resources and reports built-in kinds in the order of the document.
  if (plan.definition === '') walk.dropped.sort();
  return { object: pruned as T, dropped: walk.dropped };
}

/** Kubernetes' words for fields that were dropped: one error for strict validation, or a warning each. */
export function renderUnknownFields(paths: readonly string[]): { strict: string; warnings: string[] } {
  const warnings = paths.map((path) => `unknown field ${quote(path)}`);
  return { strict: `strict decoding error: ${warnings.join(', ')}`, warnings };
}

class PruneWalk {
  readonly dropped: string[] = [];
  private readonly trail: (string | number)[] = [];

  constructor(private readonly objectMeta: Plan | undefined) {}

  value(value: unknown, plan: Plan | undefined): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (plan?.preserve) return this.keep(value, plan, plan.embedded);
    if (Array.isArray(value)) return this.list(value, plan?.items);
    return this.object(value as Fields, plan, plan?.embedded === true);
  }

  private list(list: readonly unknown[], items: Plan | undefined): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const before = list[i];
      if (typeof before !== 'object' || before === null) continue;
      this.trail.push(i);
      const after = this.value(before, items);
      this.trail.pop();
      if (after !== before) (copy ??= [...list])[i] = after;
    }
    return copy ?? list;
  }

  object(object: Fields, plan: Plan | undefined, isResource: boolean): Fields {
    let copy: Record<string, unknown> | undefined;
    for (const key in object) {
      const before = object[key];
      const child = plan?.properties?.get(key) ?? plan?.additional;
      if (isResource && isMetaField(key)) {
        const after = key === 'metadata' ? this.metadata(before, child) : before;
        if (after !== before) (copy ??= { ...object })[key] = after;
      } else if (child) {
        if (typeof before !== 'object' || before === null) continue;
        this.trail.push(key);
        const after = this.value(before, child);
        this.trail.pop();
        if (after !== before) (copy ??= { ...object })[key] = after;
      } else {
        this.trail.push(key);
        this.dropped.push(renderTrail(this.trail));
        this.trail.pop();
        delete (copy ??= { ...object })[key];
      }
    }
    return copy ?? object;
  }

  /** Below `x-kubernetes-preserve-unknown-fields`: unknown fields stay, known ones are pruned inside. */
  keep(value: unknown, plan: Plan, isResource: boolean): unknown {
    if (Array.isArray(value)) {
      const { items } = plan;
      if (!items) return value;
      let copy: unknown[] | undefined;
      for (let i = 0; i < value.length; i++) {
        this.trail.push(i);
        const after = this.keep(value[i], items, items.embedded);
        this.trail.pop();
        if (after !== value[i]) (copy ??= [...value])[i] = after;
      }
      return copy ?? value;
    }
    if (!isObject(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const key in value) {
      const child = plan.properties?.get(key) ?? plan.additional;
      let after = value[key];
      if (isResource && isMetaField(key)) {
        if (key === 'metadata') after = this.metadata(after, child);
      } else if (child) {
        this.trail.push(key);
        after = this.value(after, child);
        this.trail.pop();
      }
      if (after !== value[key]) (copy ??= { ...value })[key] = after;
    }
    return copy ?? value;
  }

  private metadata(metadata: unknown, child: Plan | undefined): unknown {
    // A built-in kind refers to ObjectMeta itself; what a custom schema says of metadata never prunes.
    const plan = child && child.definition !== '' ? child : this.objectMeta;
    if (!plan || !isObject(metadata)) return metadata;
    this.trail.push('metadata');
    const after = this.object(metadata, plan, false);
    this.trail.pop();
    return after;
  }
}

const isMetaField = (key: string) => key === 'metadata' || key === 'kind' || key === 'apiVersion';
