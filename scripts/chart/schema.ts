import { z } from 'zod';
import { chartValues } from '../../src/app/chart/values.ts';

export interface ValueSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: unknown;
}

/** The JSON schema of values.yaml. An unknown key is refused wherever its parent is ours. */
export const valuesSchema = () => {
  const { $schema: _, ...schema } = z.toJSONSchema(chartValues, { io: 'input', target: 'draft-7' });
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema } as ValueSchema;
};
