/** Classic policies of files as policies of the CEL kinds: what `convert` does. It prints nothing and knows no options. */
import { UsageError } from '../base/index.ts';
import { convertPolicy } from '../convert/index.ts';
import { type Files, manifestFiles, placeOf, readObjects } from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { PolicyObject } from '../policy/index.ts';

export interface ConvertedPolicies {
  readonly policies: readonly KubeObject[];
  /** What a reader must know of a conversion, with its place. */
  readonly notes: readonly string[];
  /** Rules without an equivalent, with the place, the field and the reason. */
  readonly refused: readonly string[];
  /** Documents of folders that are no classic policies. */
  readonly ignored: number;
}

const isClassic = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith('kyverno.io/') && (kind === 'ClusterPolicy' || kind === 'Policy');

export function convertPolicies(files: Files, paths: readonly string[]): ConvertedPolicies {
  const policies: KubeObject[] = [];
  const notes: string[] = [];
  const refused: string[] = [];
  let ignored = 0;
  for (const path of paths) {
    const isFolder = files.isDirectory(path);
    for (const file of manifestFiles(files, path)) {
      for (const written of readObjects(files, file)) {
        const { value } = written;
        if (!isClassic(value)) {
          if (!isFolder)
            throw new UsageError('convert-kind', `${placeOf(written)}: ${value.kind} is no ClusterPolicy or Policy`);
          ignored++;
          continue;
        }
        const place = `${placeOf(written)}: ${value.metadata.name ?? ''}`;
        const { converted, refused: without } = convertPolicy(value as PolicyObject);
        for (const one of converted) {
          policies.push(one.policy, ...one.derived);
          notes.push(...one.notes.map((note) => `${place}: ${note}`));
        }
        refused.push(
          ...without.map(({ rule, path: field, reason }) =>
            [place, ...(rule === '' ? [] : [`rule ${rule}`]), field, reason].join(': '),
          ),
        );
      }
    }
  }
  return { policies, notes, refused, ignored };
}
