// Writes charts/supercargo from src/app/chart, src/app/install-* and the schema of the configuration.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFiles } from './chart/files.ts';

const folder = fileURLToPath(new URL('../charts/supercargo', import.meta.url));
rmSync(folder, { recursive: true, force: true });
for (const { file, text } of chartFiles()) {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}
