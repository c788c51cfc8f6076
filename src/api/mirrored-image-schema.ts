import { conditions, described, flag, integer, listOf, nonEmpty, object, oneOf, text, time } from './schema.ts';

const pullSecret = object({
  namespace: described('The namespace of the Secret or the account.', text),
  name: described('A pull secret.', text),
  serviceAccount: described('A ServiceAccount whose pull secrets count.', text),
});

/** One image that has, or is to have, a copy in the backup registry. */
export const mirroredImageSchema = object(
  {
    spec: described(
      'What is copied, and where it goes.',
      object(
        {
          source: described('What is copied, by tag or digest: docker.io/library/nginx:1.25.', nonEmpty),
          copy: described('Where it goes.', nonEmpty),
          digest: described('The digest that the source had when it was resolved.', text),
          pullSecrets: described('Where credentials for the source may be found.', listOf(pullSecret)),
          follow: described('Copy again when the tag of the source moves.', flag),
        },
        ['source', 'copy'],
      ),
    ),
    status: described(
      'How far the copy is; written by the controller.',
      object({
        phase: described('Copied: the copy is complete and verified.', oneOf('Pending', 'Copying', 'Copied', 'Failed')),
        digest: described('The digest of the copy, verified.', text),
        sourceDigest: described('The digest that the source has now; another one means that its tag moved.', text),
        bytesTotal: described('How many bytes the copy needs.', { ...integer, format: 'int64' }),
        bytesCopied: described('How many of them are in the backup registry.', { ...integer, format: 'int64' }),
        attempts: described('How often copying was tried since it last succeeded.', integer),
        message: described('Why it failed, or what it waits for.', text),
        copiedAt: described('When the copy was complete.', time),
        checkedAt: described('When copy and source were last checked.', time),
        unusedSince: described('Since when no workload uses the image; empty while one does.', text),
        conditions: described('Ready: whether the copy can be pulled.', conditions),
      }),
    ),
  },
  ['spec'],
);
