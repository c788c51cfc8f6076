import { describe, expect, it } from 'vitest';
import { type Compared, compare, type Side, type Turn, type Work } from './comparison.ts';
import { replaceReport } from './report.ts';
import { renderGrowth, renderRatios } from './table.ts';

const silent = { runs: 2, longestMs: 60_000, progress: () => {} };
const turn = (cpuMs: number, outcome = 'same'): Turn => ({ cpuMs, wallMs: cpuMs * 2, peakMb: cpuMs, outcome });

describe('compare', () => {
  it('takes turns, and the other side begins every second time', async () => {
    const order: Side[] = [];
    const work = async (side: Side) => {
      order.push(side);
      return turn(1);
    };
    const [compared] = await compare([{ title: 'work', peer: 'other 1', turn: work }], silent);
    expect(order).toEqual(['ours', 'theirs', 'theirs', 'ours']);
    expect([compared?.ours.length, compared?.theirs.length]).toEqual([2, 2]);
  });

  it('refuses figures of work that came to different outcomes', async () => {
    const work: Work = { title: 'work', peer: 'other 1', turn: async (side) => turn(1, side) };
    await expect(compare([work], silent)).rejects.toThrow(/work: the outcomes differ: ours[\s\S]*theirs/);
  });

  it('leaves the other program out of sizes that would take it too long, ours never', async () => {
    const works = [10, 100, 1000].map(
      (size): Work => ({
        title: `${size}`,
        peer: 'other 1',
        growth: { of: 'work', size: `${size}` },
        turn: async (side) => turn(side === 'ours' ? size : size * 100),
      }),
    );
    const compared = await compare(works, silent);
    expect(compared.map(({ ours, theirs }) => [ours.length, theirs.length])).toEqual([
      [1, 1],
      [1, 1],
      [1, 0],
    ]);
    expect(renderGrowth(compared)).toBe(
      [
        '| work | 10 | 100 | 1000 |',
        '| --- | --- | --- | --- |',
        '| CPU, supercargo | 10 ms | 100 ms | 1.0 s |',
        '| CPU, other 1 | 1.0 s | 10 s | not run |',
        '| peak memory, supercargo | 10 MB | 100 MB | 1,000 MB |',
        '| peak memory, other 1 | 1,000 MB | 10,000 MB | not run |',
      ].join('\n'),
    );
  });
});

describe('renderGrowth', () => {
  it('has a line for each of several programs, and one of ours', async () => {
    const works = ['a', 'b'].map(
      (peer): Work => ({
        title: 'work',
        peer,
        growth: { of: 'work', size: '10' },
        turn: async (side) => ({ cpuMs: side === 'ours' ? 1 : 2, wallMs: 1, outcome: 'same' }),
      }),
    );
    const rows = renderGrowth(await compare(works, silent)).split('\n');
    expect(rows.slice(2)).toEqual(['| CPU, supercargo | 1.0 ms |', '| CPU, a | 2.0 ms |', '| CPU, b | 2.0 ms |']);
  });
});

describe('renderRatios', () => {
  it('divides the best by the best, and shows the ratios of the runs beside it', () => {
    const work: Work = { title: 'work', peer: 'other 1', turn: async () => turn(1) };
    const compared: Compared = { work, ours: [turn(2), turn(1)], theirs: [turn(20), turn(30)] };
    expect(renderRatios([compared]).split('\n')[2]).toBe(
      '| work | other 1 | 1.0 ms, 20 ms | 20 × (10 to 30) | 2.0 ms, 40 ms | 20 × (10 to 30) | 1 MB, 20 MB | 20 × |',
    );
  });
});

describe('replaceReport', () => {
  const [begin, end] = ['<!-- peers: written by `npm run bench -- peers --write` -->', '<!-- /peers -->'];

  it('replaces what is between the marks, and nothing else', () => {
    const document = `before\n${begin}\nold\n${end}\nafter\n`;
    const replaced = replaceReport(document, 'new', false);
    expect(replaced).toBe(`before\n${begin}\n\nnew\n\n${end}\nafter\n`);
    expect(replaceReport(replaced, 'new', false)).toBe(replaced);
  });

  it('refuses a document without marks', () => {
    expect(() => replaceReport('text', 'new', true)).toThrow('the document has no section');
  });
});
