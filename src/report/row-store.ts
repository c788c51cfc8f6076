/** No row, or the end of a list of rows. */
export const noRow = 0xffffffff;

const columns = [
  'head',
  'resource',
  'status',
  'message',
  'properties',
  'seconds',
  'leaf',
  'nextInLeaf',
  'previousInLeaf',
  'nextOfResource',
  'hashA',
  'hashB',
  'bytes',
] as const;
type Column = (typeof columns)[number];

/**
 * Results as numbers in columns: a million of them take some tens of megabytes that the garbage collector does not
 * traverse. The index knows what the numbers mean.
 */
export class RowStore {
  head = new Uint32Array(0);
  resource = new Uint32Array(0);
  status = new Uint32Array(0);
  message = new Uint32Array(0);
  properties = new Uint32Array(0);
  seconds = new Uint32Array(0);
  leaf = new Uint32Array(0);
  nextInLeaf = new Uint32Array(0);
  previousInLeaf = new Uint32Array(0);
  nextOfResource = new Uint32Array(0);
  hashA = new Uint32Array(0);
  hashB = new Uint32Array(0);
  bytes = new Uint32Array(0);
  private free = noRow;
  private used = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** All rows ever used are below this; `head` says whether one is in use. */
  get end(): number {
    return this.used;
  }

  add(): number {
    this.count++;
    if (this.free !== noRow) {
      const row = this.free;
      this.free = this.nextInLeaf[row]!;
      return row;
    }
    if (this.used === this.head.length) this.grow();
    return this.used++;
  }

  remove(row: number): void {
    this.count--;
    this.head[row] = noRow;
    this.nextInLeaf[row] = this.free;
    this.free = row;
  }

  private grow(): void {
    const capacity = Math.max(256, Math.ceil(this.head.length * 1.5));
    for (const column of columns) {
      const larger = new Uint32Array(capacity);
      larger.set(this[column as Column]);
      this[column as Column] = larger;
    }
  }
}
