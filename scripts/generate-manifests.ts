// Writes manifests/crds from the definitions in src/api, and the two managers of manifests/image-resource-controller.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crdManifests } from './crd-manifests.ts';
import { managerManifests } from './manager-manifests.ts';

const folder = fileURLToPath(new URL('../manifests/crds', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const { file, text } of crdManifests()) writeFileSync(path.join(folder, file), text);

const managers = fileURLToPath(new URL('../manifests/image-resource-controller', import.meta.url));
mkdirSync(managers, { recursive: true });
for (const { file, text } of managerManifests()) writeFileSync(path.join(managers, file), text);
