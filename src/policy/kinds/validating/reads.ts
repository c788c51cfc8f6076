import type { RuleReads } from '../../reads.ts';
import { readsOfKind } from '../reads.ts';
import type { ValidatingSpec } from './types.ts';

export const readsOfSpec = (spec: ValidatingSpec): RuleReads =>
  readsOfKind(spec, [
    ...(spec.validations ?? []).flatMap(({ expression, messageExpression = '' }) => [expression, messageExpression]),
    ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
  ]);
