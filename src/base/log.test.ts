import { describe, expect, it } from 'vitest';
import { createLogger, type LogLevel } from './log.ts';

function record(level?: LogLevel) {
  const lines: string[] = [];
  const log = createLogger({ ...(level ? { level } : {}), destination: { write: (line) => lines.push(line) } });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('a logger', () => {
  it('writes lines for people in the text format, one line each', () => {
    const lines: string[] = [];
    const log = createLogger({ format: 'text', destination: { write: (line) => lines.push(line) } });
    log.child({ feature: 'mirror' }).warn('copy\u001b[2J failed', {
      image: 'ghcr.io/a/b:1',
      why: 'two words\nand a line',
      bytes: 7,
      error: new Error('gone'),
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\d{4}-[^ ]*Z warn {2}copy \[2J failed /);
    expect(lines[0]).toContain(
      'feature=mirror image=ghcr.io/a/b:1 why="two words\\nand a line" bytes=7 error="gone"\n',
    );
  });

  it('takes a level that changes while it is used', () => {
    const lines: string[] = [];
    let level: LogLevel = 'warn';
    const child = createLogger({ level: () => level, destination: { write: (line) => lines.push(line) } }).child({});
    child.info('a');
    level = 'debug';
    child.debug('b');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['b']);
  });

  it('writes one object per line, with level, time, fields and message', () => {
    const { log, lines, parsed } = record();
    log.info('image copied', { bytes: 7, from: 'a\nb' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{"level":"info","time":"\d{4}-.*Z",.*"msg":"image copied"\}\n$/);
    expect(parsed()[0]).toMatchObject({ bytes: 7, from: 'a\nb' });
  });

  it('passes its fields to its children', () => {
    const { log, parsed } = record();
    log.child({ feature: 'mirror' }).child({ part: 'copy' }).warn('slow', { part: 'other' });
    expect(parsed()[0]).toMatchObject({ level: 'warn', feature: 'mirror', part: 'other', msg: 'slow' });
  });

  it('omits lines below its level', () => {
    const { log, parsed } = record('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(parsed().map(({ msg }) => msg)).toEqual(['c', 'd']);
    const silent = record('silent');
    silent.log.error('e');
    expect(silent.lines).toEqual([]);
  });

  it('writes errors with their message and stack', () => {
    const { log, parsed } = record();
    log.error('failed', { err: new TypeError('no') });
    expect(parsed()[0]?.['err']).toMatchObject({
      type: 'TypeError',
      message: 'no',
      stack: expect.stringContaining('log.test'),
    });
  });

  it('writes values that JSON cannot: large integers, and circular values as text', () => {
    const { log, lines } = record();
    log.info('large', { value: 2n ** 60n });
    expect(lines[0]).toContain('"value":1152921504606846976');
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    log.info('circle', { circle });
    expect(JSON.parse(lines[1]!)).toMatchObject({ msg: 'circle', circle: '[object Object]' });
  });
});
