import { describe, expect, test } from 'vitest';
import { answers, document } from '../../src/cel/cases/answers.ts';
import { sorted } from '../support/cel-answer.ts';
import { generateQuestions } from '../support/cel-generate.ts';
import { type Answer, answerCel, askCelOracle, locateCelOracle, type Question } from '../support/cel-oracle.ts';
import { notLocated } from '../support/skip.ts';

const oracle = await locateCelOracle();
notLocated('the comparison of CEL', oracle);

/** A hundred thousand by hand: `CEL_FUZZ=100000 npx vitest run test/oracle/cel.test.ts`. */
const count = Number(process.env['CEL_FUZZ'] ?? 1000);
const batch = 5000;

/** Costs beyond all limits are counted with wrapped numbers there. */
const countable = (cost: number | bigint) => (cost > Number.MAX_SAFE_INTEGER ? 'beyond counting' : cost);

/** Types of the other implementation, and the numbers of its type variables, are not told in its words. */
const comparable = ({ value, error, compile, cost }: Answer) =>
  JSON.stringify(sorted({ value, error, compile, cost: countable(cost) }))
    .replaceAll(/invalid qualifier type: [^"]*/g, 'invalid qualifier type')
    .replaceAll(/_var\d+/g, '_var');

/** Whether cel-go answers at all, and the same every time: some answers depend on the order of a map, some end in a panic. */
const isUsable = ({ unstable, panics, error }: Answer) => !unstable && !panics && !error?.startsWith('internal error');

const shownList = /^(cannot initialize optional .* from non-optional value |join: invalid input: |value )(.*\[.*)$/s;
const withoutPunctuation = (text: string) =>
  [...text.replaceAll('map[', '[').replaceAll(/[[\]{}:, ]/g, '')].sort().join();

/**
 * Whether the answers differ only in how a message that shows a value shows what is inside of a list: cel-go prints it as
 * Go does if the list came from a document, `[map[a:1], [1 2]]`, and we always as CEL does, `[{a: 1}, [1, 2]]`.
 */
function isListShownOtherwise(our: Answer, their: Answer): boolean {
  const [, ourStart, ourList] = shownList.exec(our.error ?? '') ?? [];
  const [, theirStart, theirList] = shownList.exec(their.error ?? '') ?? [];
  return (
    ourList !== undefined &&
    theirList !== undefined &&
    ourStart === theirStart &&
    our.cost === their.cost &&
    withoutPunctuation(ourList) === withoutPunctuation(theirList)
  );
}

/** What of the answers was not compared, and why. */
interface Excluded {
  unusable: number;
  listsShownOtherwise: number;
}

function differences(questions: readonly Question[], theirs: readonly Answer[], excluded: Excluded) {
  return questions.flatMap((question, i) => {
    const their = theirs[i] as Answer;
    if (!isUsable(their)) {
      excluded.unusable++;
      return [];
    }
    const our = answerCel(question);
    if (comparable(our) === comparable(their)) return [];
    if (!isListShownOtherwise(our, their)) return [{ ...question, our, their }];
    excluded.listsShownOtherwise++;
    return [];
  });
}

/** Five runs may agree by chance on an answer that depends on the order of a map; two hundred do not. */
async function differencesAskedAgain(questions: readonly Question[], excluded: Excluded) {
  if (questions.length === 0) return [];
  const asked = questions.map(({ expression, object, extended = false }) => ({ expression, object, extended }));
  return differences(asked, await askCelOracle(oracle.path!, asked, 200), excluded);
}

describe.skipIf(oracle.path === undefined)("against cel-go with Kubernetes' options", () => {
  test('the recorded answers are what it says', async () => {
    const questions = answers.map(({ expression }) => ({ expression, object: document }));
    const theirs = await askCelOracle(oracle.path!, questions, 5);
    const recorded = answers.map(({ expression: _, ...answer }) => comparable(answer));
    expect(theirs.map(comparable)).toEqual(recorded);
  });

  test('only a list of the document is shown otherwise, and only by its punctuation', async () => {
    const ask = async (expression: string, object: unknown) => {
      const [their] = await askCelOracle(oracle.path!, [{ expression, object }], 5);
      return { our: answerCel({ expression, object }), their: their as Answer };
    };
    const text = "{?'a': optional.none().or(object.list)}";
    const { our, their } = await ask(text, { list: [{ b: [1, 'x'] }] });
    expect(our.error).toMatch(/ value \[\{b: \[1, x\]\}\]$/);
    expect(their.error).toMatch(/ value \[map\[b:\[1 x\]\]\]$/);
    expect(isListShownOtherwise(our, their)).toBe(true);
    const other = answerCel({ expression: text, object: { list: [{ b: [2, 'x'] }] } });
    expect(isListShownOtherwise(other, their)).toBe(false);
    const joined = await ask("object.list.join('')", { list: ['a', [[1, true]]] });
    expect(joined.their.error).toBe('join: invalid input: [[1 true]]');
    expect(isListShownOtherwise(joined.our, joined.their)).toBe(true);
    const made = await ask("{?'a': optional.none().or(dyn([[1, 2], [3]]))}", null);
    expect(comparable(made.our)).toBe(comparable(made.their));
  });

  test(
    'random expressions have the same value, error and cost',
    async () => {
      const excluded: Excluded = { unusable: 0, listsShownOtherwise: 0 };
      for (let done = 0; done < count; done += batch) {
        const seed = Number(process.env['SEED'] ?? 20_260_101) + done;
        const questions = generateQuestions(seed, Math.min(batch, count - done));
        const theirs = await askCelOracle(oracle.path!, questions, 5);
        const differing = differences(questions, theirs, excluded);
        expect(await differencesAskedAgain(differing, excluded), `seed ${seed}`).toEqual([]);
      }
      const { unusable, listsShownOtherwise } = excluded;
      process.stderr.write(
        `CEL: ${count} expressions; excluded: ${unusable} that cel-go panics at or answers differently each time, ` +
          `${listsShownOtherwise} with a list of the document in a message\n`,
      );
      expect(unusable).toBeLessThan(count / 20 + 10);
      expect(listsShownOtherwise).toBeLessThan(count / 5000 + 2);
    },
    60_000 + count * 20,
  );
});
