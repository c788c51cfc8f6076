import { renderPath } from '../../schema/index.ts';
import { type StatusError, statusError } from '../status.ts';
import type { FieldSet } from './field-set.ts';
import type { Manager } from './managers.ts';

/** Fields that an apply would change and that another manager owns. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** The response to an apply without `force` that would change fields of other managers. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => (a.manager.id < b.manager.id ? -1 : 1));
  const all = sorted.map(({ manager, fields }) => ({
    owner: renderOwner(manager),
    paths: fields.paths().map(renderPath),
  }));
  const causes = all.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  return statusError(409, renderMessage(all, causes.length), { causes });
}

type OwnedPaths = { readonly owner: string; readonly paths: readonly string[] };

function renderMessage(all: readonly OwnedPaths[], count: number): string {
  if (count === 1) return `Apply failed with 1 conflict: conflict with ${all[0]!.owner}: ${all[0]!.paths[0]!}`;
  const lines = all.flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function renderOwner({ name, operation, apiVersion, subresource }: Manager): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(name)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
