/**
 * One object's share of a report's results. `bytes` counts their JSON, `sumA` and `sumB` add up their hashes. Equal
 * contents have equal sums in any order, so changes are detected without the text.
 */
export interface Leaf {
  readonly id: number;
  /** The path from the whole report to this part: `0` or `1` per halving. */
  readonly path: string;
  bytes: number;
  count: number;
  sumA: number;
  sumB: number;
  firstRow: number;
  parent: Fork | undefined;
}

interface Fork {
  readonly path: string;
  zero: Fork | Leaf;
  one: Fork | Leaf;
  parent: Fork | undefined;
}

/**
 * The position of a result: by resource first, so that the results of one resource share an object as long as possible.
 */
export interface Place {
  readonly resourceHash: number;
  readonly ruleHash: number;
}

const maxDepth = 64;

const isLeaf = (node: Fork | Leaf): node is Leaf => 'count' in node;

/** The half that a position is in at the given depth. */
export function halfOf({ resourceHash, ruleHash }: Place, depth: number): 0 | 1 {
  const bit = depth < 32 ? resourceHash >>> (31 - depth) : ruleHash >>> (63 - depth);
  return (bit & 1) as 0 | 1;
}

interface TreeOwner<L extends Leaf> {
  /** A leaf above this size is split; two leaves at or below it together are merged. */
  readonly targetBytes: number;
  newLeaf(path: string): L;
  /** Moves everything in `from` to the leaf of `zero` and `one` that it belongs to. */
  divide(from: L, zero: L, one: L): void;
  /** Moves everything in both leaves into `into`. */
  unite(zero: L, one: L, into: L): void;
}

/**
 * The results of one report, halved by their hash until each part fits an object. The shape is a function of the
 * contents alone: the same results always end in the same parts, and a change moves only neighbours.
 */
export class ChunkTree<L extends Leaf> {
  private root: Fork | L;

  constructor(private readonly owner: TreeOwner<L>) {
    this.root = owner.newLeaf('');
  }

  get isEmpty(): boolean {
    return isLeaf(this.root) && this.root.count === 0;
  }

  find(place: Place): L {
    let node: Fork | Leaf = this.root;
    for (let depth = 0; !isLeaf(node); depth++) node = halfOf(place, depth) === 0 ? node.zero : node.one;
    return node as L;
  }

  *leaves(node: Fork | Leaf = this.root): Generator<L> {
    if (isLeaf(node)) yield node as L;
    else {
      yield* this.leaves(node.zero);
      yield* this.leaves(node.one);
    }
  }

  /** Call after a leaf grew or shrank. */
  settle(leaf: L): void {
    if (leaf.bytes > this.owner.targetBytes) this.halve(leaf);
    else this.join(leaf);
  }

  private halve(leaf: L): void {
    if (leaf.path.length >= maxDepth || leaf.count < 2) return;
    const zero = this.owner.newLeaf(`${leaf.path}0`);
    const one = this.owner.newLeaf(`${leaf.path}1`);
    const fork: Fork = { path: leaf.path, zero, one, parent: leaf.parent };
    zero.parent = fork;
    one.parent = fork;
    this.replace(leaf, fork);
    this.owner.divide(leaf, zero, one);
    if (zero.bytes > this.owner.targetBytes) this.halve(zero);
    if (one.bytes > this.owner.targetBytes) this.halve(one);
  }

  private join(leaf: L): void {
    const fork = leaf.parent;
    if (!fork || !isLeaf(fork.zero) || !isLeaf(fork.one)) return;
    if (fork.zero.bytes + fork.one.bytes > this.owner.targetBytes) return;
    const whole = this.owner.newLeaf(fork.path);
    whole.parent = fork.parent;
    this.replace(fork, whole);
    this.owner.unite(fork.zero as L, fork.one as L, whole);
    this.join(whole);
  }

  private replace(old: Fork | Leaf, by: Fork | L): void {
    const { parent } = old;
    if (!parent) this.root = by;
    else if (parent.zero === old) parent.zero = by;
    else parent.one = by;
  }
}
