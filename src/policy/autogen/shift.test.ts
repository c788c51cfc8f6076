import { describe, expect, it } from 'vitest';
import { inJobTemplate, inTemplate, shiftReferences } from './shift.ts';

describe('references in messages', () => {
  it.each([
    ['see $(./../pattern/spec/a)', 'pattern', 'see $(./../pattern/spec/template/spec/a)'],
    ['$(pattern/a)', 'pattern', '$(pattern/spec/template/a)'],
    ['\\$(pattern/a)', 'pattern', '\\$(pattern/a)'],
    ['$(pattern/a) and $(pattern/b)', 'pattern', '$(pattern/spec/template/a) and $(pattern/spec/template/b)'],
    ['$(elsewhere/a)', 'pattern', '$(elsewhere/a)'],
    ['$(anyPattern/0/a)', 'anyPattern', '$(anyPattern/0/spec/template/a)'],
    ['$( pattern', 'pattern', '$( pattern'],
    ['no reference', 'pattern', 'no reference'],
  ])('%s becomes right for %s', (message, pivot, expected) => {
    expect(shiftReferences(message, inTemplate, pivot)).toBe(expected);
  });

  it('lead further down for CronJobs', () => {
    expect(shiftReferences('$(pattern/a)', inJobTemplate, 'pattern')).toBe(
      '$(pattern/spec/jobTemplate/spec/template/a)',
    );
  });

  it('cost no more than the length of the message, however many are opened', () => {
    const hostile = '$('.repeat(200_000);
    expect(shiftReferences(hostile, inTemplate, 'pattern')).toBe(hostile);
    const spaced = '$(a '.repeat(100_000);
    expect(shiftReferences(spaced, inTemplate, 'anyPattern')).toBe(spaced);
  });
});
