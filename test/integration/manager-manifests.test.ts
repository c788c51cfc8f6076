import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { managerManifests } from '../../scripts/manager-manifests.ts';

it.each(managerManifests().map((manifest) => [manifest.file, manifest.text] as const))(
  'manifests/image-resource-controller/%s is up to date (npm run generate:manifests)',
  (file, text) => {
    const shipped = readFileSync(new URL(`../../manifests/image-resource-controller/${file}`, import.meta.url), 'utf8');
    expect(shipped).toBe(text);
  },
);

it('the two managers select different pods and hold different leases', () => {
  const [detection, creation] = managerManifests().map(({ text }) => text);
  expect(detection).toContain('control-plane: image-detection-controller');
  expect(detection).toContain('- image-resource-controller-detect\n');
  expect(creation).toContain('control-plane: resource-creation-controller');
  expect(creation).toContain('- image-resource-controller-create\n');
  expect(detection).not.toContain('- image-resource-controller-create\n');
});
