import { z } from 'zod';

/** A span of time in settings: `15s`, `1h`. */
export const duration = z.string().regex(/^\d+(ms|s|m|h)$/, 'must be a duration such as 15s');

/** Whole bytes, from one mebibyte. */
export const megabytes = z.int().min(1 << 20);

const labels = z.record(z.string(), z.string());

/** A label selector as Kubernetes writes it. */
export const labelSelector = z.strictObject({
  matchLabels: labels.optional().meta({
    description: 'Labels that must all be there, with these values.',
    examples: [{ team: 'shop' }],
  }),
  matchExpressions: z
    .array(
      z.strictObject({
        key: z.string().meta({ description: 'The label.', examples: ['team'] }),
        operator: z
          .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
          .meta({ description: 'How the label is compared with `values`.', examples: ['In'] }),
        values: z
          .array(z.string())
          .optional()
          .meta({ description: 'The values for In and NotIn.', examples: [['shop', 'web']] }),
      }),
    )
    .optional()
    .meta({
      description: 'Conditions that must all hold.',
      examples: [[{ key: 'team', operator: 'In', values: ['shop', 'web'] }]],
    }),
});
