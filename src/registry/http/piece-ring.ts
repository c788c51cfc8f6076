interface Slot {
  /** Made when first used: an answer of a few bytes needs one of them. */
  buffer: Buffer | undefined;
  /** Given out up to here. */
  start: number;
  /** Filled up to here. */
  fill: number;
  /** Pieces that somebody still reads. */
  out: number;
  /** Nothing more is put into it before it was emptied. */
  isClosed: boolean;
}

/**
 * A few buffers that a socket fills and a reader empties in turn, over and over: a layer of any size passes through the
 * same memory. A piece is as large as what came in meanwhile, so that a slow reader has few large ones. It is valid
 * until the next one is taken.
 */
export class PieceRing {
  /** True while there is nowhere to put another byte. */
  isFull = false;
  private readonly slots: readonly Slot[];
  private writing = 0;
  private reading = 0;
  private last: Slot | undefined;

  constructor(
    slots: number,
    private readonly slotBytes: number,
    /** A slot with less room than this is left for the next. */
    private readonly minRoom: number,
  ) {
    this.slots = Array.from({ length: slots }, () => ({
      buffer: undefined,
      start: 0,
      fill: 0,
      out: 0,
      isClosed: false,
    }));
  }

  /** Where the next bytes go. While the ring is full it is memory in use: nothing may be put there until it is not. */
  room(): Buffer {
    const slot = this.slots[this.writing]!;
    slot.buffer ??= Buffer.allocUnsafeSlow(this.slotBytes);
    return this.isFull ? slot.buffer : slot.buffer.subarray(slot.fill);
  }

  /** Counts bytes that were put into the room. */
  filled(bytes: number): void {
    const slot = this.slots[this.writing]!;
    slot.fill += bytes;
    if (this.slotBytes - slot.fill >= this.minRoom) return;
    slot.isClosed = true;
    this.writing = (this.writing + 1) % this.slots.length;
    this.isFull = !this.recycle(this.slots[this.writing]!);
  }

  /** What has come in, or undefined; what was taken before is given back. */
  take(): Buffer | undefined {
    if (this.last !== undefined) {
      this.last.out--;
      this.last = undefined;
      if (this.isFull) this.isFull = !this.recycle(this.slots[this.writing]!);
    }
    for (;;) {
      const slot = this.slots[this.reading]!;
      if (slot.fill > slot.start) {
        const piece = slot.buffer!.subarray(slot.start, slot.fill);
        slot.start = slot.fill;
        slot.out++;
        this.last = slot;
        if (slot.isClosed) this.reading = (this.reading + 1) % this.slots.length;
        return piece;
      }
      if (!slot.isClosed) return undefined;
      this.reading = (this.reading + 1) % this.slots.length;
    }
  }

  private recycle(slot: Slot): boolean {
    if (slot.out > 0 || slot.fill > slot.start) return false;
    slot.start = 0;
    slot.fill = 0;
    slot.isClosed = false;
    return true;
  }
}
