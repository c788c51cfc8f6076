// Writes the pages of docs/reference that follow from the source.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference/index.ts';

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
for (const { file, text } of referencePages()) writeFileSync(`${folder}${file}`, text);
