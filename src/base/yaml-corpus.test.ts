/** The reader of manifests and js-yaml on Kyverno's public files, as they are and with a mistake in each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEvents, YAMLException } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { corpusFolder } from '../../test/conformance/corpus.ts';
import { renderJson } from './json.ts';
import { parseYamlDocuments } from './yaml.ts';
import { readBlockYaml } from './yaml-block.ts';
import { maxYamlDepth, YamlBuilder, type YamlDocument } from './yaml-build.ts';
import { SourceText, YamlError } from './yaml-error.ts';

const files = listFiles();

function listFiles(): readonly string[] {
  try {
    const all = readdirSync(corpusFolder, { recursive: true, encoding: 'utf8' });
    return all.filter((file) => /\.ya?ml$/.test(file)).sort();
  } catch {
    console.log(`Kyverno's files are not beside the project (${corpusFolder}): skipped`);
    return [];
  }
}

/** js-yaml alone, with our schema. */
function parseFully(text: string): readonly YamlDocument[] {
  const source = new SourceText(text, undefined);
  try {
    return new YamlBuilder(source).build(parseEvents(text, { maxDepth: maxYamlDepth }));
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown;
    return source.fail('yaml-invalid', thrown.reason, thrown.mark?.position ?? 0);
  }
}

/** As a text: the order of fields counts, and -0 and integers beyond 53 bits are told apart. */
function outcomeOf(parse: (text: string) => readonly YamlDocument[], text: string): string {
  try {
    return parse(text)
      .map(({ value, line }) => `${line}: ${renderJson(value)}`)
      .join('\n');
  } catch (thrown) {
    if (!(thrown instanceof YamlError)) throw thrown;
    return `${thrown.code} ${thrown.message}`;
  }
}

const mistakes = ['', ' ', '\n', ':', '-', '"', "'", '\t', '|', '&a ', '*a', '[', '}', '# ', '---\n', '\r'];

/** The same in every run: one place of the text, chosen by the number of the file, where something is added or missing. */
function damage(text: string, number: number): string {
  const place = (number * 7919) % (text.length + 1);
  const mistake = mistakes[number % mistakes.length]!;
  return text.slice(0, place) + mistake + text.slice(mistake === '' ? place + 1 : place);
}

describe.skipIf(files.length === 0)("Kyverno's files", () => {
  const texts = files.map((file) => readFileSync(join(corpusFolder, file), 'utf8'));
  const differing = (all: readonly string[]) =>
    files.filter((_, i) => outcomeOf(parseYamlDocuments, all[i]!) !== outcomeOf(parseFully, all[i]!));

  test('have the values and positions that js-yaml reads', () => {
    expect(differing(texts)).toEqual([]);
    // Otherwise it was js-yaml that read them both times.
    const read = texts.filter((text) => readBlockYaml(text) !== undefined);
    expect(read.length).toBeGreaterThan(0.8 * files.length);
  }, 300_000);

  test('with a mistake have the values, or the errors and positions, that js-yaml finds', () => {
    const damaged = texts.map(damage);
    expect(differing(damaged)).toEqual([]);
    const refused = damaged.filter((text) => outcomeOf(parseFully, text).startsWith('yaml-'));
    expect(refused.length).toBeGreaterThan(0.1 * files.length);
  }, 300_000);
});
