// Writes manifests/crds from the definitions in src/api.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crdManifests } from './crd-manifests.ts';

const folder = fileURLToPath(new URL('../manifests/crds', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const { file, text } of crdManifests()) writeFileSync(path.join(folder, file), text);
