import { isJsonObject, setOwn } from '../../base/index.ts';
import { missing, Scope } from '../../jmespath/index.ts';

/** A value that is computed on first access. */
export type Lazy = () => unknown;

/**
 * One layer of the scope, over the layers below it. Nothing is copied: an entry hides entries of the same name below, and
 * is computed at most once.
 */
export class Layer extends Scope {
  private readonly values = new Map<string, unknown>();

  constructor(
    private readonly entries: ReadonlyMap<string, Lazy>,
    private readonly below?: Scope,
  ) {
    super();
  }

  get(key: string): unknown {
    const known = this.values.get(key);
    if (known !== undefined) return known;
    const entry = this.entries.get(key);
    if (!entry) return this.below ? this.below.get(key) : missing;
    const value = entry();
    this.values.set(key, value);
    return value;
  }

  override *keys(): Iterable<string> {
    yield* this.entries.keys();
    if (!this.below) return;
    for (const key of this.below.keys()) if (!this.entries.has(key)) yield key;
  }
}

/** The variables of a loop: `element` and `elementIndex`, each also with the depth of the loop as suffix. */
export class ElementLayer extends Scope {
  private readonly elementKey: string;
  private readonly indexKey: string;

  constructor(
    private readonly element: unknown,
    private readonly index: number,
    depth: number,
    private readonly below: Scope,
  ) {
    super();
    this.elementKey = elementKeys[depth] ?? `element${depth}`;
    this.indexKey = indexKeys[depth] ?? `elementIndex${depth}`;
  }

  get(key: string): unknown {
    if (key === 'element' || key === this.elementKey) return this.element;
    if (key === 'elementIndex' || key === this.indexKey) return this.index;
    return this.below.get(key);
  }

  override *keys(): Iterable<string> {
    const own = ['element', this.elementKey, 'elementIndex', this.indexKey];
    yield* own;
    for (const key of this.below.keys()) if (!own.includes(key)) yield key;
  }
}

const elementKeys = ['element0', 'element1', 'element2'];
const indexKeys = ['elementIndex0', 'elementIndex1', 'elementIndex2'];

/** A layer of given values. */
export function layerOf(values: Readonly<Record<string, unknown>>, below?: Scope): Layer {
  return new Layer(new Map(Object.entries(values).map(([key, value]) => [key, () => value])), below);
}

/** `over` merged into `under`: maps are merged, other values replaced. Neither argument is changed. */
export function mergeDeep(under: unknown, over: unknown): unknown {
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    setOwn(merged, key, Object.hasOwn(under, key) ? mergeDeep(under[key], value) : value);
  }
  return merged;
}
