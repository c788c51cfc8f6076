import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../manifests/index.ts';
import { readPayloads, requireJudges, subjectOfPayload } from './payloads.ts';

const files = memoryFiles({
  'a/one.json': '{ "metadata": { "name": "named" } }',
  'a/two.yaml': 'FROM: a\n---\nFROM: b\n',
  'a/notes.txt': 'no payload',
  'list.json': '[1]',
  'request.json': '{ "path": "/" }',
});

describe('payloads', () => {
  it('are every document of the files, with the name that it has or that of the file', () => {
    const read = readPayloads(files, { json: ['a', 'a'], http: ['request.json'] });
    expect(read.map(({ payload, file, line }) => [payload.mode, file, line])).toEqual([
      ['JSON', 'a/one.json', 1],
      ['JSON', 'a/two.yaml', 1],
      ['JSON', 'a/two.yaml', 3],
      ['HTTP', 'request.json', 1],
    ]);
    expect(read.map((one) => subjectOfPayload(one)).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'JSON/named',
      'JSON/two.yaml',
      'JSON/two.yaml',
      'HTTP/request.json',
    ]);
  });

  it('must be maps', () => {
    expect(() => readPayloads(files, { json: ['list.json'] })).toThrow('list.json:1:1: a map is expected here');
  });

  it('need a policy that judges them', () => {
    const payloads = readPayloads(files, { http: ['request.json'] });
    const policy = (mode: string) => ({ apiVersion: '', kind: '', metadata: {}, spec: { evaluation: { mode } } });
    expect(() => requireJudges(payloads, [policy('HTTP')])).not.toThrow();
    expect(() => requireJudges(payloads, [policy('JSON')])).toThrow(
      'request.json: no policy judges it: none has evaluation.mode HTTP',
    );
  });
});
