import { conditions, described, flag, integer, listOf, nonEmpty, object, oneOf, text, time } from './schema.ts';

/** One image that has, or is to have, a copy in the backup registry. */
export const mirroredImageSchema = object(
  {
    spec: object(
      {
        source: described('What is copied, by tag or digest: docker.io/library/nginx:1.25.', nonEmpty),
        copy: described('Where it goes.', nonEmpty),
        digest: described('The digest that the source had when it was resolved.', text),
        pullSecrets: described(
          'Where credentials for the source may be found.',
          listOf(object({ namespace: text, name: text, serviceAccount: text })),
        ),
        follow: described('Copy again when the tag of the source moves.', flag),
      },
      ['source', 'copy'],
    ),
    status: object({
      phase: oneOf('Pending', 'Copying', 'Copied', 'Failed'),
      digest: described('The digest of the copy, verified.', text),
      sourceDigest: described('The digest that the source has now; another one means that its tag moved.', text),
      bytesTotal: { ...integer, format: 'int64' },
      bytesCopied: { ...integer, format: 'int64' },
      attempts: integer,
      message: text,
      copiedAt: time,
      checkedAt: time,
      unusedSince: described('Since when no workload uses the image; empty while one does.', text),
      conditions,
    }),
  },
  ['spec'],
);
