import { describe, expect, it } from 'vitest';
import { completeExpression, isIncomplete } from './complete-expression.ts';
import { celLanguage, jmespathLanguageFor } from './try-expression.ts';

const pod = { kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n' } };
const complete = (line: string) => completeExpression(celLanguage, line, pod);
const jp = jmespathLanguageFor({ isRequest: false });

describe('CEL', () => {
  it('starts with variables and functions', () => {
    expect(complete('ob')).toEqual({ candidates: ['object'], replaced: 'ob' });
    expect(complete('object.kind == "Pod" && qua').candidates).toEqual(['quantity(']);
  });

  it('goes on with the fields of what stands before the dot, and with functions of a receiver', () => {
    const { candidates, replaced } = complete('size(object.spec.');
    expect(replaced).toBe('');
    expect(candidates.slice(0, 2)).toEqual(['containers', 'nodeName']);
    expect(candidates).toContain('map(');
    expect(candidates).not.toContain('startsWith(');
    expect(complete('object.kind.').candidates).toContain('startsWith(');
    expect(complete("quantity('1').is").candidates).toEqual(['isGreaterThan(', 'isInteger(', 'isLessThan(']);
    expect(candidates).not.toContain('quantity(');
    expect(complete('object.spec.containers[0].im').candidates).toEqual(['image']);
    expect(complete('object.?metadata.na').candidates).toEqual(['name']);
    expect(complete('[object.spec.containers.filter(c, c.name == "c")[0].i').candidates).toContain('image');
  });

  it('knows no fields of what is no expression', () => {
    expect(complete('object.nothing.im').candidates).toEqual([]);
    expect(complete(').im').candidates).toEqual([]);
  });
});

describe('JMESPath', () => {
  it('goes on through projections', () => {
    expect(completeExpression(jp, 'spec.containers[].', pod).candidates).toEqual(['name', 'image']);
    expect(completeExpression(jp, 'length(sp', pod).candidates).toEqual(['spec', 'split(']);
  });

  it('sees the request where it is asked to', () => {
    const language = jmespathLanguageFor({ isRequest: true });
    expect(completeExpression(language, 'request.', pod).candidates).toEqual(['operation', 'object', 'kind', 'name']);
  });
});

it('waits for brackets that are open, outside quotes', () => {
  expect(isIncomplete('size([1,')).toBe(true);
  expect(isIncomplete('size([1])')).toBe(false);
  expect(isIncomplete('"(" + \'[\'')).toBe(false);
  expect(isIncomplete('"\\"(" + a(')).toBe(true);
});
