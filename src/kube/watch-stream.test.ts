import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './testing/manual-clock.ts';
import { collect } from './testing/server.ts';
import { createStallGuard, LineTooLong, lines } from './watch-stream.ts';

async function* chunksOf(...chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

describe('lines', () => {
  it('gives the same lines however the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter((s) => !s.includes('\n'))),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        async (texts, sizes) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
          const chunks: Buffer[] = [];
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = sizes[i % sizes.length] ?? 1;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(await collect(lines(chunksOf(...chunks), 1 << 20))).toEqual(texts);
        },
      ),
    );
  });

  it('drops a truncated last line', async () => {
    expect(await collect(lines(chunksOf(Buffer.from('whole\nha'), Buffer.from('lf')), 100))).toEqual(['whole']);
  });

  it('rejects a line that never ends', async () => {
    const endless = async function* () {
      for (;;) yield Buffer.alloc(64, 'x');
    };
    await expect(collect(lines(endless(), 1000))).rejects.toBeInstanceOf(LineTooLong);
  });
});

describe('createStallGuard', () => {
  it('calls onStall when the reader has waited long enough, and not while the reader itself is slow', async () => {
    const clock = new ManualClock();
    let stalls = 0;
    let give: (chunk: Buffer) => void = () => {};
    const source = async function* () {
      for (;;) yield await new Promise<Buffer>((resolve) => (give = resolve));
    };
    const stall = createStallGuard(1000, clock, () => stalls++);
    const reader = stall.guard(source())[Symbol.asyncIterator]();
    const first = reader.next();
    clock.advance(900);
    give(Buffer.from('a'));
    await first;
    clock.advance(5000);
    expect(stalls).toBe(0);
    void reader.next();
    clock.advance(999);
    expect(stall.hasStalled).toBe(false);
    clock.advance(1001);
    expect(stall.hasStalled).toBe(true);
    expect(stalls).toBe(1);
  });
});
