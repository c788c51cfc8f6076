import type { TemplateCase } from './case.ts';
import { functionCases } from './functions.ts';
import { generateCases } from './generated.ts';
import { languageCases } from './language.ts';
import { printingCases } from './printing.ts';
import { seedCases } from './seed.ts';

export const allCases: readonly TemplateCase[] = [
  ...languageCases,
  ...printingCases,
  ...functionCases,
  ...seedCases,
  ...generateCases(20_251_117, 400),
];
