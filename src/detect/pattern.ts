import { SupercargoError } from '../base/index.ts';

export class PatternError extends SupercargoError {}

/** The patterns of a policy; exactly one field is set. */
export interface RepositoryPatterns {
  readonly repositoryPattern?: string | undefined;
  readonly imageNamePattern?: string | undefined;
  readonly imagePattern?: string | undefined;
}

export interface ImageMatcher {
  /** Whether this repository is scanned: `team-a/web`. */
  hasRepository(path: string): boolean;
  hasTag(tag: string): boolean;
  /** The path before the first star, for registries that can filter. */
  readonly prefix: string;
  /** Set if the pattern names exactly one repository. */
  readonly exact?: string | undefined;
}

const fields = ['repositoryPattern', 'imageNamePattern', 'imagePattern'] as const;

/** Parses the pattern of a policy; throws PatternError, whose message begins with the field. */
export function compileImagePattern(patterns: RepositoryPatterns): ImageMatcher {
  const given = fields.filter((field) => patterns[field] !== undefined);
  if (given.length !== 1)
    throw new PatternError(
      'detect-pattern',
      given.length === 0
        ? `one of ${fields.join(', ')} is required`
        : `${given.join(' and ')} exclude each other: keep one`,
    );
  const field = given[0]!;
  const text = patterns[field]!;
  if (field === 'repositoryPattern') return repositoryMatcher(field, text, () => true);
  if (field === 'imageNamePattern') {
    if (text.includes('/')) throw refuse(field, text, 'an image name is the last part of a path and has no slash');
    const matches = compileStars(field, text);
    return {
      hasRepository: (path) => matches(path.slice(path.lastIndexOf('/') + 1)),
      hasTag: () => true,
      prefix: '',
    };
  }
  const colon = text.lastIndexOf(':');
  if (colon === -1) throw refuse(field, text, 'it has no tag: write repository:tag, or use repositoryPattern');
  // A lone star makes sense for one of the two parts, not for both.
  const tag = text.slice(colon + 1);
  if (tag === '') throw refuse(field, text, 'the tag is empty');
  return repositoryMatcher(field, text.slice(0, colon), tag === '*' ? () => true : compileStars(field, tag));
}

function repositoryMatcher(field: string, text: string, hasTag: (tag: string) => boolean): ImageMatcher {
  const star = text.indexOf('*');
  return {
    hasRepository: compileStars(field, text),
    hasTag,
    prefix: star === -1 ? text : text.slice(0, star),
    exact: star === -1 ? text : undefined,
  };
}

const refuse = (field: string, text: string, why: string) =>
  new PatternError('detect-pattern', `${field} "${text}": ${why}`);

/** A star matches any characters except a slash. */
function compileStars(field: string, text: string): (candidate: string) => boolean {
  if (text === '') throw refuse(field, text, 'it is empty');
  if (text.length > 512) throw refuse(field, text.slice(0, 40), `it has ${text.length} characters`);
  if (text === '*') throw refuse(field, text, 'a lone * would take every repository there is: name a part of it');
  if (text.includes('**')) throw refuse(field, text, '** has no meaning: * stands for any characters but a slash');
  const odd = /[^A-Za-z0-9._/*-]/.exec(text);
  if (odd) throw refuse(field, text, `"${odd[0]}" is not allowed in a name; only * is a wildcard`);
  if (!text.includes('*')) return (candidate) => candidate === text;
  const parts = text.split('/').map(compilePart);
  return (candidate) => {
    const given = candidate.split('/');
    return given.length === parts.length && parts.every((matches, i) => matches(given[i]!));
  };
}

/** The pieces between stars must occur in order. Linear in the length, whatever the number of stars. */
function compilePart(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('*');
  if (pieces.length === 1) return (text) => text === pattern;
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    const end = text.length - last.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, at);
      if (found === -1 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}
