import { imagesOf } from '../context/index.ts';
import { compileWildcard } from '../match/index.ts';
import { subjectOf } from '../request.ts';
import { failed, type MaybeOutcome, pass, skip } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import type { RuleSpec } from '../types.ts';

/**
 * The part of verifyImages that needs no network: which images match, and whether they are pinned to a digest. An image
 * without a signature check never counts as verified. Rules with signatures or attestations are refused when the policy
 * is compiled.
 */
export function compileVerifyImages(spec: RuleSpec): (run: Run) => MaybeOutcome {
  const blocks = (spec.verifyImages ?? []).map((block) => ({
    matchers: [...texts(block['imageReferences']), ...texts(block['image'])].map(compileWildcard),
    verifyDigest: block['verifyDigest'] !== false,
    isRequired: block['required'] !== false,
  }));
  return (run) => {
    const subject = subjectOf(run.request);
    if (!subject || run.request.operation === 'DELETE') return undefined;
    const images = Object.values(imagesOf(subject, spec.imageExtractors)).flatMap((byName) => Object.values(byName));
    const matching = blocks.flatMap((block) =>
      images.filter(({ reference }) => block.matchers.some((m) => m(reference))).map((image) => ({ image, block })),
    );
    if (matching.length === 0) return skip('no matching images found in resource');
    for (const { image, block } of matching) {
      if (block.verifyDigest && image.digest === undefined)
        return failed(`missing digest for ${image.reference}`, image.jsonPointer);
      if (block.isRequired) return failed(`unverified image ${image.reference}`, image.jsonPointer);
    }
    return pass('image verified');
  };
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}
