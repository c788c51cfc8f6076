import { expect, it } from 'vitest';
import { functionHelp } from './function-help.ts';
import { kubernetesEnvironment } from './kubernetes.ts';

const help = new Map(functionHelp(kubernetesEnvironment).map((one) => [one.name, one]));

it('tells functions from methods', () => {
  expect(help.get('quantity')).toEqual({
    name: 'quantity',
    isMember: false,
    isGlobal: true,
    receivers: [],
    signatures: ['quantity(string) -> kubernetes.Quantity'],
  });
  expect(help.get('startsWith')).toMatchObject({ isMember: true, isGlobal: false, receivers: ['string'] });
  expect(help.get('size')).toMatchObject({ isMember: true, isGlobal: true });
});

it('names macros and leaves out operators', () => {
  expect(help.get('has')?.signatures).toEqual(['has(a)  (macro)']);
  expect(help.get('exists')).toMatchObject({ isMember: true });
  expect([...help.keys()].filter((name) => !/^[A-Za-z][\w.]*$/.test(name))).toEqual([]);
});
