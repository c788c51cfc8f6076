import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamReader } from './event-stream.ts';

const text =
  ': heartbeat\n\nid: 7\nevent: change\ndata: {"views":\ndata: []}\n\nid: 8\r\ndata: x\r\n\r\nevent: lost\n\n';
const messages = [
  { event: 'change', data: '{"views":\n[]}', id: '7' },
  { event: 'message', data: 'x', id: '8' },
];

describe('the event stream', () => {
  it('reads messages, and skips comments and messages without data', () => {
    expect(createStreamReader()(text)).toEqual(messages);
  });

  it('reads the same however the text is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 8 }), (cuts) => {
        const read = createStreamReader();
        const ends = [...cuts, text.length].sort((a, b) => a - b);
        expect(ends.flatMap((end, i) => read(text.slice(ends[i - 1] ?? 0, end)))).toEqual(messages);
      }),
    );
  });

  it('refuses a line without an end', () => {
    const read = createStreamReader();
    expect(() => {
      for (let i = 0; i < 100; i++) read('x'.repeat(100_000));
    }).toThrow('megabyte');
  });
});
