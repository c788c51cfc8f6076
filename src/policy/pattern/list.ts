import { allSkipped, mismatch, type PatternFailure } from './failure.ts';
import { type CompileElement, compileLeaf, type Element } from './leaf.ts';
import { type Check, isFields, type MatchRun } from './run.ts';

type ListCheck = (list: readonly unknown[], path: string, run: MatchRun) => PatternFailure | undefined;

/** A list in the pattern: its first element determines how the object's list is matched. */
export function compileList(pattern: readonly unknown[], depth: number, compileElement: CompileElement): Element {
  // Elements after the first may be unused, but their anchors still affect the order of evaluation.
  const elements = pattern.map((element) => compileElement(element, depth + 1));
  const checkList = compileElements(pattern, elements);
  const check: Check = (value, path, run) => {
    if (Array.isArray(value)) return checkList(value, path, run);
    return mismatch(
      path,
      () => `validation rule failed at path ${path}, resource does not satisfy the expected overlay pattern`,
    );
  };
  const items = elements.map((element, i) => (isFields(pattern[i]) ? element.check : undefined));
  return { check, hasAnchors: elements.some((element) => element.hasAnchors), items };
}

function compileElements(pattern: readonly unknown[], elements: readonly Element[]): ListCheck {
  const [first] = elements;
  if (first === undefined) return (_, path) => mismatch(path, () => 'pattern Array empty');
  if (isFields(pattern[0])) return eachLike(first.check);
  if (!Array.isArray(pattern[0])) return compileLeaf(pattern[0]);
  const checks = elements.map(({ check }) => check);
  return (list, path, run) => {
    if (list.length >= elements.length) {
      return checkAll(list.slice(0, elements.length), checks, path, run);
    }
    const lengths = `resource Array len is ${list.length} and pattern Array len is ${elements.length}`;
    return mismatch('', () => `validate Array failed, array length mismatch, ${lengths}`);
  };
}

function eachLike(check: Check): ListCheck {
  return (list, path, run) => checkAll(list, check, path, run);
}

/** Elements that an anchor skips are ignored; the list is skipped when all are. */
function checkAll(
  list: readonly unknown[],
  checks: Check | readonly Check[],
  path: string,
  run: MatchRun,
): PatternFailure | undefined {
  let skips: PatternFailure[] | undefined;
  let applied = 0;
  for (let i = 0; i < list.length; i++) {
    run.step();
    const check = typeof checks === 'function' ? checks : checks[i]!;
    const failure = check(list[i], run.below(path, i), run);
    if (failure === undefined) applied++;
    else if (failure.kind === 'skip') (skips ??= []).push(failure);
    else return failure;
  }
  return applied === 0 && skips !== undefined ? allSkipped(path, skips) : undefined;
}
