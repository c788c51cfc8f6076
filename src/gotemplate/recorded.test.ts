import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseJson, renderJson } from '../base/index.ts';
import type { Answer, TemplateCase } from './cases/case.ts';
import { allCases } from './cases/index.ts';
import { answer } from './cases/run.ts';
import { applicationTemplate, seedData } from './cases/seed.ts';
import { compile } from './program.ts';

const text = readFileSync(new URL('./cases/recorded.json', import.meta.url), 'utf8');
const recorded = parseJson(text) as unknown as readonly (TemplateCase & Answer)[];
const expected = ({ output, error }: Answer): Answer => (error === undefined ? { output } : { output, error });

describe("what Go's text/template and sprig answered", () => {
  test('was recorded for the cases as they are: scripts/record-template-cases.ts records it again', () => {
    const asked = recorded.map(({ output: _, error: __, ...item }) => renderJson(item));
    expect(asked).toEqual(allCases.map((item) => renderJson(item)));
    expect(recorded.length).toBeGreaterThan(1500);
  });

  test('is what we answer, texts and errors alike', () => {
    const different = recorded.flatMap((item) => {
      const [ours, gos] = [answer(item), expected(item)];
      return renderJson(ours) === renderJson(gos) ? [] : [{ template: item.template, ours, gos }];
    });
    expect(different).toEqual([]);
  });

  test('covers failures of parsing and of rendering, each with its place', () => {
    const errors = recorded.flatMap(({ error }) => error ?? []);
    expect(errors.filter((error) => /^template: case:\d+: /.test(error)).length).toBeGreaterThan(80);
    expect(errors.filter((error) => /^template: case:\d+:\d+: executing /.test(error)).length).toBeGreaterThan(150);
  });
});

test("the seed's application template renders to the byte as in its manual", () => {
  const rendered = compile(applicationTemplate).render(seedData);
  expect(rendered).toContain('  name: frontend-v1-2-3\n');
  expect(rendered).toBe(recorded.find(({ template }) => template === applicationTemplate)?.output);
});
