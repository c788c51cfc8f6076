import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SharedTexts } from './shared-texts.ts';

const container = (token: string) =>
  `{"image":"${'registry.example.com/a'.repeat(20)}","volumeMounts":[{"name":"${token}"}]}`;
const spec = (token: string, node: string) =>
  `"spec":{"containers":[${container(token)},${container(token)}],"nodeName":"${node}","tolerations":[${'{},'.repeat(100)}{}]},"status":{"phase":"Pending"}}`;

it('shares what pods of one template have in common', () => {
  const texts = new SharedTexts();
  const a = texts.cut(spec('kube-api-access-abcde', 'n1'));
  const b = texts.cut(spec('kube-api-access-zwxyv', 'node-2'));
  expect(b.join('')).toBe(spec('kube-api-access-zwxyv', 'node-2'));
  const own = b.filter((text) => !a.includes(text));
  expect(own).toEqual(['kube-api-access-zwxyv', 'kube-api-access-zwxyv', '"nodeName":"node-2"']);
});

it('loses nothing, whatever a text holds and where it is cut', () => {
  const texts = new SharedTexts();
  const piece = fc.oneof(
    fc.constantFrom('kube-api-access-', '"nodeName":"', '"status":{', '"', 'ü', '\u2028', '\ud800', 'x'.repeat(300)),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(texts.cut(text).join('')).toBe(text);
    }),
  );
});

it('never cuts between the halves of a character, as pieces may be encoded one by one', () => {
  const text = `{"a":"${'x'.repeat(300)}kube-api-access-abcd😀${'y'.repeat(300)}"}`;
  const pieces = new SharedTexts().cut(text);
  expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()).toBe(text);
});
