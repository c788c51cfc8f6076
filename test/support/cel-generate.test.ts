import { expect, test } from 'vitest';
import { extendedEnvironment, plainEnvironment } from './cel-answer.ts';
import { Generator, seeded } from './cel-generate.ts';
import { callForms } from './cel-generate-calls.ts';

const generator = new Generator(seeded(1));
const texts = Array.from({ length: 6000 }, () => generator.question().expression);

test('random expressions call every form of every function that both environments declare', () => {
  const forms = [plainEnvironment, extendedEnvironment].flatMap(({ functions }) => callForms(functions));
  expect(forms.length).toBeGreaterThan(250);
  const missing = forms.filter(({ overload }) => !generator.called.has(overload));
  expect(missing.map(({ name, overload }) => `${name} ${overload}`)).toEqual([]);
});

test('random expressions use every macro', () => {
  const names = [...extendedEnvironment.macros.keys()].map((key) => key.replace(/\/\d+$/, ''));
  expect([...new Set(names)].filter((name) => !texts.some((text) => text.includes(`${name}(`)))).toEqual([]);
});
