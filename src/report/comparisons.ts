import type { OwnReports } from './own-reports.ts';
import type { ResultIndex } from './result-index.ts';

/** Equals no fingerprint. */
const noContent = '';

/** The reports that another client may have written, and which of them are only to be compared. */
export class Comparisons {
  /** By key, the fingerprint of what a report had to say when its form was last known, or first seen to be unknown. */
  private readonly before = new Map<string, string>();

  constructor(
    private readonly index: ResultIndex,
    private readonly reports: OwnReports,
  ) {}

  isDue(key: string): boolean {
    return this.reports.get(key) !== undefined && this.reports.contentOf(key) === undefined;
  }

  /**
   * Whether what a due report must say has not changed. To be asked as soon as its form is unknown and its results are
   * known, so that every later change counts.
   */
  isAll(key: string): boolean {
    const part = this.index.part(key);
    if (!part) return false;
    const content = this.index.fingerprintOf(part);
    const before = this.before.get(key) ?? this.reports.lastContentOf(key) ?? content;
    this.before.set(key, before);
    return before === content;
  }

  /** What a due report must say has just changed; what it had to say before may never have been asked for. */
  noteChange(key: string): void {
    if (!this.before.has(key)) this.before.set(key, this.reports.lastContentOf(key) ?? noContent);
  }

  forget(key: string): void {
    this.before.delete(key);
  }
}
