import { customResourceDefinitions } from '../src/api/index.ts';
import { renderYaml } from '../src/base/index.ts';

/** The expected files of manifests/crds. */
export function crdManifests(): readonly { readonly file: string; readonly text: string }[] {
  return customResourceDefinitions('supercargo').map((crd) => ({
    file: `${crd.metadata.name}.yaml`,
    text: `# Written from src/api by npm run generate:manifests.\n${renderYaml(crd)}`,
  }));
}
