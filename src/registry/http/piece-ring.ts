interface Slot {
  /** Allocated on first use: a small response needs only one. */
  buffer: Buffer | undefined;
  /** Bytes before this were handed out. */
  start: number;
  /** Bytes before this were filled. */
  fill: number;
  /** Pieces that are still being read. */
  out: number;
  /** Takes no more bytes until it is emptied. */
  isClosed: boolean;
}

/**
 * A ring of buffers that a socket fills and a reader empties. A layer of any size passes through the same memory. A
 * piece holds everything that arrived since the last one, so a slow reader gets few large pieces. A piece is valid
 * until the next one is taken.
 */
export class PieceRing {
  /** True while there is no room for another byte. */
  isFull = false;
  private readonly slots: readonly Slot[];
  private writing = 0;
  private reading = 0;
  private last: Slot | undefined;

  constructor(
    slots: number,
    private readonly slotBytes: number,
    /** A slot with less room than this is closed. */
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

  /** Where the next bytes go. While the ring is full this memory is in use and must not be written. */
  room(): Buffer {
    const slot = this.slots[this.writing]!;
    slot.buffer ??= Buffer.allocUnsafeSlow(this.slotBytes);
    return this.isFull ? slot.buffer : slot.buffer.subarray(slot.fill);
  }

  /** Counts bytes that were written into the room. */
  filled(bytes: number): void {
    const slot = this.slots[this.writing]!;
    slot.fill += bytes;
    if (this.slotBytes - slot.fill >= this.minRoom) return;
    slot.isClosed = true;
    this.writing = (this.writing + 1) % this.slots.length;
    this.isFull = !this.recycle(this.slots[this.writing]!);
  }

  /** The received bytes, or undefined. Releases the piece that was taken before. */
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
