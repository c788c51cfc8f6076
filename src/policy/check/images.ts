import { hasContent } from '../autogen/index.ts';
import { hasVariables } from '../variables/index.ts';
import { checkConditions } from './conditions.ts';
import { checkExpression } from './expressions.ts';
import { checkStars } from './limits.ts';
import { isSet, type RuleCheck } from './rule-context.ts';

type ImageCheck = Readonly<Record<string, unknown>>;

/** Fields that require the verification of signatures, with a registry and trusted keys. */
const signatureFields = ['attestors', 'attestations', 'key', 'issuer', 'subject', 'roots'] as const;

/** verifyImages: fields without signatures are supported; the others are reported as not supported. */
export function checkImages(check: RuleCheck, images: readonly ImageCheck[], policyAction: string | undefined): void {
  const { issues } = check;
  for (const [i, image] of images.entries()) {
    const path = `${check.path}.verifyImages[${i}]`;
    const action = (image['failureAction'] as string | undefined) ?? policyAction ?? 'Audit';
    if (action.toLowerCase() === 'audit' && image['mutateDigest'] === true) {
      issues.error(
        'policy-images',
        `${path}.mutateDigest`,
        "mutateDigest must be set to false for 'Audit' failure action",
      );
    }
    const references = (image['imageReferences'] ?? []) as readonly string[];
    if (references.length === 0 && !image['image'])
      issues.error('policy-images', path, 'An image reference is required');
    for (const [j, reference] of references.entries()) {
      const place = `${path}.imageReferences[${j}]`;
      checkStars(reference, place, issues);
      if (hasVariables(reference)) {
        issues.error('policy-variable-forbidden', place, 'variables are not allowed in image reference');
      }
    }
    checkSignatures(check, image, path);
    const validate = image['validate'] as { readonly deny?: { readonly conditions?: unknown } } | undefined;
    checkConditions(validate?.deny?.conditions, `${path}.validate.deny.conditions`, issues);
    if (isSet(validate)) {
      issues.error('policy-unsupported', `${path}.validate`, 'conditions on verified images are not supported yet');
    }
  }
  checkExtractors(check, images);
}

function checkSignatures({ issues }: RuleCheck, image: ImageCheck, path: string): void {
  for (const field of signatureFields) {
    const value = image[field];
    if (isSet(value) && value !== '' && !(Array.isArray(value) && value.length === 0)) {
      issues.error('policy-unsupported', `${path}.${field}`, `verifying signatures (${field}) is not supported yet`);
    }
  }
  if (image['type'] === 'Notary' || image['type'] === 'SigstoreBundle') {
    issues.error('policy-unsupported', `${path}.type`, `verifyImages of type ${image['type']} is not supported yet`);
  }
}

/** A digest cannot be written back to where only an expression knows the way from. */
function checkExtractors({ rule, path, issues }: RuleCheck, images: readonly ImageCheck[]): void {
  if (!hasContent(rule.imageExtractors)) return;
  const mutates = images.some((image) => image['mutateDigest'] === true);
  for (const [kind, extractors] of Object.entries(rule.imageExtractors ?? {})) {
    for (const [i, { jmesPath }] of extractors.entries()) {
      const place = `${path}.imageExtractors.${kind}[${i}].jmesPath`;
      checkExpression(jmesPath, place, issues);
      if (mutates && jmesPath) {
        issues.error('policy-images', place, 'jmespath may not be used in an image extractor when mutating digests');
      }
    }
  }
}
