import { RE2JS } from 're2js';
import {
  compareVersions,
  errorMessage,
  parseVersion,
  parseVersionRange,
  SupercargoError,
  type Version,
} from '../base/index.ts';
import { compareAge, isNewerThan } from './age.ts';
import type { TagCandidate, TagDecision } from './candidate.ts';

export class SelectionError extends SupercargoError {}

/** `spec.policy` of an ImageResourcePolicy; exactly one of the three fields is set. */
export interface SelectionSpec {
  readonly perRepository?: boolean | undefined;
  readonly semver?: { readonly range: string } | undefined;
  readonly alphabetical?: { readonly order?: 'asc' | 'desc' | undefined } | undefined;
  readonly pattern?: { readonly regex: string; readonly extractPrefix?: boolean | undefined } | undefined;
}

/** Ranks tags by one criterion. */
interface Ranking {
  /** `undefined` if the tag competes; otherwise the reason why it does not. */
  refuse(candidate: TagCandidate): string | undefined;
  prefixOf(candidate: TagCandidate): string | undefined;
  /** Positive when `a` is preferred to `b`. */
  compare(a: TagCandidate, b: TagCandidate): number;
  /** Whether a candidate may follow the choice of an earlier scan; by `compare` if undefined. */
  isNewerThan?(previous: TagCandidate, next: TagCandidate): boolean;
  /** The expression, if the newest is chosen. */
  readonly byAge?: string;
  readonly preferred: string;
  /** One winner overall instead of one per repository, unless the policy sets `perRepository`. */
  readonly isOverall: boolean;
}

export interface Selection {
  /** All repositories compete for one winner, so an unreadable repository may have held it. */
  readonly isOverall: boolean;
  /** The expression that filters tags by age; undefined if age does not count. */
  readonly byAge?: string | undefined;
  /** Candidates of one group compete; undefined for a candidate that does not. */
  groupOf(candidate: TagCandidate): string | undefined;
  prefixOf(candidate: TagCandidate): string | undefined;
  /** The decision on every candidate, chosen ones first. Independent of the order of candidates. */
  decide(candidates: readonly TagCandidate[]): readonly TagDecision[];
  /** True if `next` may follow `previous` of the same repository and prefix: nothing is ever downgraded. */
  advances(previous: TagCandidate, next: TagCandidate): boolean;
}

const ways = ['semver', 'alphabetical', 'pattern'] as const;

/** Throws SelectionError; its message begins with the invalid field. */
export function compileSelection(spec: SelectionSpec): Selection {
  const given = ways.filter((way) => spec[way] !== undefined);
  if (given.length !== 1)
    throw new SelectionError(
      'detect-selection',
      given.length === 0
        ? `one of ${ways.join(', ')} is required`
        : `${given.join(' and ')} exclude each other: keep one`,
    );
  const ranking = rankings[given[0]!](spec);
  const isOverall = ranking.isOverall && !spec.perRepository;
  const groupOf = (candidate: TagCandidate) =>
    isOverall ? '' : `${candidate.repository}\n${ranking.prefixOf(candidate) ?? ''}`;
  return {
    isOverall,
    byAge: ranking.byAge,
    groupOf: (candidate) => (ranking.refuse(candidate) === undefined ? groupOf(candidate) : undefined),
    prefixOf: (candidate) => ranking.prefixOf(candidate),
    decide(candidates) {
      const refused = new Map<TagCandidate, string>();
      const best = new Map<string, TagCandidate>();
      for (const candidate of candidates) {
        const why = ranking.refuse(candidate);
        if (why !== undefined) {
          refused.set(candidate, why);
          continue;
        }
        const group = groupOf(candidate);
        const leader = best.get(group);
        if (leader === undefined || prefers(ranking, candidate, leader)) best.set(group, candidate);
      }
      const decisions = candidates.map((candidate): TagDecision => {
        const prefix = refused.has(candidate) ? undefined : ranking.prefixOf(candidate);
        const winner = best.get(groupOf(candidate));
        const reason =
          refused.get(candidate) ?? (winner === candidate ? ranking.preferred : `${winner!.tag} is preferred`);
        return {
          candidate,
          chosen: !refused.has(candidate) && winner === candidate,
          reason,
          ...(prefix === undefined ? {} : { prefix }),
        };
      });
      return decisions.sort((a, b) => Number(b.chosen) - Number(a.chosen) || byName(a.candidate, b.candidate));
    },
    advances: (previous, next) =>
      previous.tag === next.tag
        ? previous.digest !== next.digest
        : (ranking.isNewerThan?.(previous, next) ?? ranking.compare(next, previous) > 0),
  };
}

/** Names break ties, so that the order of a registry's response never matters. */
function prefers(ranking: Ranking, a: TagCandidate, b: TagCandidate): boolean {
  return (ranking.compare(a, b) || -byName(a, b)) > 0;
}

function byName(a: TagCandidate, b: TagCandidate): number {
  return compareText(a.repository, b.repository) || compareText(a.tag, b.tag);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const rankings: Readonly<Record<(typeof ways)[number], (spec: SelectionSpec) => Ranking>> = {
  semver({ semver }) {
    const { range: text } = semver!;
    const range = attempt('semver.range', () => parseVersionRange(text));
    const versions = new Map<string, Version | undefined>();
    const versionOf = ({ tag }: TagCandidate) => {
      if (!versions.has(tag)) versions.set(tag, parseVersion(tag));
      return versions.get(tag);
    };
    return {
      refuse(candidate) {
        const version = versionOf(candidate);
        if (!version) return 'it is not a version';
        return range.has(version) ? undefined : `it is not in ${text}`;
      },
      prefixOf: () => undefined,
      compare(a, b) {
        const [left, right] = [versionOf(a), versionOf(b)];
        if (!left || !right) return left ? 1 : right ? -1 : 0;
        return compareVersions(left, right);
      },
      preferred: `the newest in ${text}`,
      isOverall: false,
    };
  },
  alphabetical({ alphabetical }) {
    const order = alphabetical!.order ?? 'asc';
    return {
      refuse: () => undefined,
      prefixOf: () => undefined,
      compare: (a, b) => (order === 'asc' ? compareText(b.tag, a.tag) : compareText(a.tag, b.tag)),
      preferred: order === 'asc' ? 'the first in alphabetical order' : 'the last in alphabetical order',
      isOverall: true,
    };
  },
  pattern({ pattern }) {
    const { regex, extractPrefix = false } = pattern!;
    const compiled = attempt('pattern.regex', () => RE2JS.compile(regex));
    if (extractPrefix && compiled.groupCount() === 0)
      throw new SelectionError(
        'detect-selection',
        `pattern.regex "${regex}" has no group: with extractPrefix the first one, as in ^(dev|prod)-, is the prefix`,
      );
    return {
      refuse: ({ tag }) => (compiled.matcher(tag).find() ? undefined : `it does not match ${regex}`),
      prefixOf({ tag }) {
        if (!extractPrefix) return undefined;
        const matcher = compiled.matcher(tag);
        return matcher.find() ? (matcher.group(1) ?? '') : undefined;
      },
      compare: compareAge,
      isNewerThan,
      byAge: regex,
      preferred: `the newest that matches ${regex}`,
      isOverall: false,
    };
  },
};

function attempt<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    throw new SelectionError('detect-selection', `${field}: ${errorMessage(thrown)}`);
  }
}
