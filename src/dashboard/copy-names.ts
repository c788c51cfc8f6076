import type { CopyFact } from './facts.ts';
import { type ImageName, imageNameOf } from './image-id.ts';

/**
 * The copies by what containers may call them. A digest is looked up as it is: composed texts for each copy would be most
 * of the memory. Where several copies have one name, the last counts.
 */
export class CopyNames {
  /** By the name with its tag, or with its digest where it has no tag. */
  private readonly byName = new Map<string, CopyFact>();
  /** One copy, or by repository where several have the digest. */
  private readonly byDigest = new Map<string, CopyFact | Map<string, CopyFact>>();

  find({ id, repository, tag, digest }: ImageName): CopyFact | undefined {
    return (
      this.ofDigest(repository, digest) ??
      this.byName.get(id) ??
      (tag === '' ? undefined : this.byName.get(`${repository}:${tag}`))
    );
  }

  add(fact: CopyFact): void {
    this.byName.set(nameOf(fact), fact);
    const { digest } = fact;
    if (digest === '') return;
    const known = this.byDigest.get(digest);
    const repository = repositoryOf(fact);
    if (known instanceof Map) known.set(repository, fact);
    else if (!known || repositoryOf(known) === repository) this.byDigest.set(digest, fact);
    else this.byDigest.set(digest, new Map([[repositoryOf(known), known]]).set(repository, fact));
  }

  remove(fact: CopyFact): void {
    const name = nameOf(fact);
    if (this.byName.get(name) === fact) this.byName.delete(name);
    const { digest } = fact;
    const known = this.byDigest.get(digest);
    if (known === fact) this.byDigest.delete(digest);
    if (!(known instanceof Map)) return;
    const repository = repositoryOf(fact);
    if (known.get(repository) === fact) known.delete(repository);
    if (known.size === 0) this.byDigest.delete(digest);
  }

  private ofDigest(repository: string, digest: string): CopyFact | undefined {
    const known = digest === '' ? undefined : this.byDigest.get(digest);
    if (known instanceof Map) return known.get(repository);
    return known && repositoryOf(known) === repository ? known : undefined;
  }
}

const repositoryOf = ({ copy }: CopyFact) => imageNameOf(copy).repository;

/** The text of the fact where it is written in full, so that it is kept once. */
function nameOf({ copy }: CopyFact): string {
  const { id, repository, tag } = imageNameOf(copy);
  const name = tag === '' ? id : `${repository}:${tag}`;
  return name === copy ? copy : name;
}
