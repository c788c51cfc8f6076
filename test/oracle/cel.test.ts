import { describe, expect, test } from 'vitest';
import { answers, document } from '../../src/cel/cases/answers.ts';
import { sorted } from '../support/cel-answer.ts';
import { generateQuestions } from '../support/cel-generate.ts';
import { type Answer, answerCel, askCelOracle, locateCelOracle, type Question } from '../support/cel-oracle.ts';

const oracle = await locateCelOracle();
if (oracle.path === undefined) process.stderr.write(`comparison of CEL skipped: ${oracle.reason}\n`);

/** A hundred thousand by hand: `CEL_FUZZ=100000 npx vitest run test/oracle/cel.test.ts`. */
const count = Number(process.env['CEL_FUZZ'] ?? 1000);
const batch = 5000;

/** Types of the other implementation, and the numbers of its type variables, are not told in its words. */
const comparable = ({ value, error, compile, cost }: Answer) =>
  JSON.stringify(sorted({ value, error, compile, cost }))
    .replaceAll(/invalid qualifier type: [^"]*/g, 'invalid qualifier type')
    .replaceAll(/_var\d+/g, '_var');

/** Whether cel-go answers at all, and the same every time: some answers depend on the order of a map, some end in a panic. */
const isUsable = ({ unstable, panics, error }: Answer) => !unstable && !panics && !error?.startsWith('internal error');

function differences(questions: readonly Question[], theirs: readonly Answer[]) {
  return questions.flatMap((question, i) => {
    const their = theirs[i] as Answer;
    if (!isUsable(their)) return [];
    const our = answerCel(question);
    return comparable(our) === comparable(their) ? [] : [{ ...question, our, their }];
  });
}

describe.skipIf(oracle.path === undefined)("against cel-go with Kubernetes' options", () => {
  test('the recorded answers are what it says', async () => {
    const questions = answers.map(({ expression }) => ({ expression, object: document }));
    const theirs = await askCelOracle(oracle.path!, questions, 5);
    const recorded = answers.map(({ expression: _, ...answer }) => comparable(answer));
    expect(theirs.map(comparable)).toEqual(recorded);
  });

  test(
    'random expressions have the same value, error and cost',
    async () => {
      const excluded: Answer[] = [];
      for (let done = 0; done < count; done += batch) {
        const seed = Number(process.env['SEED'] ?? 20_260_101) + done;
        const questions = generateQuestions(seed, Math.min(batch, count - done));
        const theirs = await askCelOracle(oracle.path!, questions, 5);
        expect(differences(questions, theirs), `seed ${seed}`).toEqual([]);
        excluded.push(...theirs.filter((answer) => !isUsable(answer)));
      }
      process.stderr.write(`CEL: ${count} expressions, ${excluded.length} excluded\n`);
      expect(excluded.length).toBeLessThan(count / 20 + 10);
    },
    60_000 + count * 20,
  );
});
