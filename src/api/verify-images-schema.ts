import { anyAllConditions } from './match-schema.ts';
import {
  anything,
  described,
  flag,
  freeObject,
  listOf,
  object,
  oneOf,
  type Schema,
  text,
  textMap,
  texts,
} from './schema.ts';

const attestors = described(
  'Who must have signed; each of the list.',
  listOf(
    object({
      count: described('How many of the entries must have signed; all by default.', {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
      }),
      entries: described('Keys, certificates or identities.', listOf(freeObject)),
    }),
  ),
);

const attestation = object({
  name: described('The name of the attestation, in messages.', text),
  predicateType: described('The old name of `type`.', text),
  type: described('The type of the attestation: a URI such as https://slsa.dev/provenance/v1.', text),
  attestors,
  conditions: described('Conditions on the content of the attestation.', listOf(anyAllConditions)),
});

const credentials = object({
  allowInsecureRegistry: described('Allows registries without a verified certificate.', flag),
  providers: described(
    'Where credentials are from, beside the Secrets.',
    listOf(oneOf('default', 'amazon', 'azure', 'google', 'github')),
  ),
  secrets: described('Pull secrets in the namespace of the installation.', texts),
});

export const verifyImagesSchema: Schema = listOf(
  object({
    failureAction: described(
      'Enforce refuses what fails, Audit reports it.',
      oneOf('audit', 'enforce', 'Audit', 'Enforce'),
    ),
    type: described('The kind of signature.', oneOf('Cosign', 'SigstoreBundle', 'Notary')),
    image: described('The old form of imageReferences: one pattern.', text),
    imageReferences: described('The images of this check, wildcards possible: ghcr.io/team/*.', texts),
    skipImageReferences: described('Images that are left out.', texts),
    key: described('The old place of a public key.', text),
    roots: described('The old place of root certificates.', text),
    subject: described('The old place of the identity of a keyless signature.', text),
    issuer: described('The old place of the issuer of a keyless signature.', text),
    additionalExtensions: described('Extensions that the certificate of a keyless signature must have.', textMap),
    attestors,
    attestations: described('Attestations that the image must have.', listOf(attestation)),
    annotations: described('Annotations that the signature must have.', textMap),
    repository: described('The repository of signatures, where it is not that of the image.', text),
    cosignOCI11: described('Finds signatures as referrers (OCI 1.1).', flag),
    mutateDigest: described('Whether the digest is added to images with a tag.', flag),
    verifyDigest: described('Whether images must be named by digest.', flag),
    validate: described(
      'More conditions on the image.',
      object({
        message: described('The message when they do not hold.', text),
        deny: described(
          'Conditions under which the image fails.',
          object({ conditions: described('Conditions: `any` and `all` with key, operator and value.', anything) }),
        ),
      }),
    ),
    required: described('Whether every image that fits must be verified. True if not written.', flag),
    imageRegistryCredentials: described('Credentials for the registry.', credentials),
    useCache: described('Whether results may be kept for some time.', flag),
  }),
);
