import { anyAllConditions } from './match-schema.ts';
import { anything, flag, freeObject, listOf, object, oneOf, type Schema, text, textMap, texts } from './schema.ts';

const attestors = listOf(
  object({ count: { type: 'integer', minimum: 1, maximum: 1000 }, entries: listOf(freeObject) }),
);

export const verifyImagesSchema: Schema = listOf(
  object({
    failureAction: oneOf('audit', 'enforce', 'Audit', 'Enforce'),
    type: oneOf('Cosign', 'SigstoreBundle', 'Notary'),
    image: text,
    imageReferences: texts,
    skipImageReferences: texts,
    key: text,
    roots: text,
    subject: text,
    issuer: text,
    additionalExtensions: textMap,
    attestors,
    attestations: listOf(
      object({ name: text, predicateType: text, type: text, attestors, conditions: listOf(anyAllConditions) }),
    ),
    annotations: textMap,
    repository: text,
    cosignOCI11: flag,
    mutateDigest: flag,
    verifyDigest: flag,
    validate: object({ message: text, deny: object({ conditions: anything }) }),
    required: flag,
    imageRegistryCredentials: object({
      allowInsecureRegistry: flag,
      providers: listOf(oneOf('default', 'amazon', 'azure', 'google', 'github')),
      secrets: texts,
    }),
    useCache: flag,
  }),
);
