import { definitions } from '../api/index.ts';
import { checkCustomResource } from '../apiserver/index.ts';
import { UsageError } from '../base/index.ts';
import { findTypeErrors, type SchemaOf, type TypeSchema } from '../create/index.ts';
import type { Files } from '../manifests/index.ts';
import { readObjects } from '../manifests/index.ts';
import { gvkOf, type KubeObject } from '../object/index.ts';

/** The schemas of our own kinds, as a server would check them. */
const ownSchemaOf: SchemaOf = ({ group, version, kind }) => {
  const definition = definitions.find(
    (one) => one.group === group && one.kind === kind && one.versions.includes(version),
  );
  return definition?.schema as TypeSchema | undefined;
};

/** The single object of a kind in a file; errors have their place. */
export function readOwn<T extends KubeObject>(files: Files, file: string, kind: string): T {
  const found = readObjects(files, file).filter(({ value }) => value.kind === kind);
  const [first, second] = found;
  if (!first) throw new UsageError('document-missing', `${file}: there is no ${kind} in it`);
  if (second)
    throw new UsageError('document-ambiguous', `${file}:${second.line}: there is a second ${kind}; give one at a time`);
  const { group, version } = gvkOf(first.value);
  if (!ownSchemaOf({ group, version, kind }))
    throw new UsageError('document-version', `${file}:${first.line}: ${first.value.apiVersion} has no kind ${kind}`);
  const types = findTypeErrors({ value: first.value as never, line: first.line }, ownSchemaOf, { allowsUnknown: true });
  const schema = ownSchemaOf({ group, version, kind });
  const errors =
    types.length > 0
      ? types
      : checkCustomResource(first.value as never, schema as never).map((error) => `:${first.line}: ${error}`);
  if (errors.length > 0) throw new UsageError('document-invalid', errors.map((error) => `${file}${error}`).join('\n'));
  return first.value as T;
}
