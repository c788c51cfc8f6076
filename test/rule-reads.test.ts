import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * What a rule reads is in `RuleProgram.reads`, which is made of parsed expressions and match blocks. No module finds
 * it out from text: not from a serialised rule, and not with the names of the parts of a request in a pattern.
 */
const folders = ['policy', 'report', 'generate', 'admission', 'runtime', 'webhook'];

/** Autogen changes expressions by text, as Kyverno does: users rely on what it changes in messages and names. */
const rewriting = 'src/policy/autogen/';

const parts =
  /oldObject|userInfo|clusterRoles|serviceAccount|admissionInfo|namespaceSelector|namespaceLabels|configMap|apiCall|globalReference/;
const serialised =
  /(?:JSON\.stringify|renderJson)\((?:[^()]|\([^()]*\))*\)\s*\.(?:includes|match|search|indexOf|startsWith)\(/;
const tested = /\.(?:test|exec)\(\s*(?:JSON\.stringify|renderJson)\(/;

interface Found {
  readonly path: string;
  readonly text: string;
}

function sniffing(path: string, code: string): Found[] {
  const found: Found[] = [];
  const add = (text: string | undefined) => text !== undefined && found.push({ path, text });
  add(serialised.exec(code)?.[0]);
  add(tested.exec(code)?.[0]);
  for (const [text] of code.matchAll(
    /(?<=[=(:,[!&|?{}\s])\/(?![/*\s])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g,
  ))
    if (parts.test(text)) add(text);
  for (const [text] of code.matchAll(/new RegExp\([^)]*\)|\.(?:includes|search|match|indexOf)\(\s*['"`][^'"`]*['"`]/g))
    if (parts.test(text)) add(text);
  // A serialised rule that goes through a variable.
  for (const [, name] of code.matchAll(
    /const (\w+) = (?:JSON\.stringify|renderJson)\([^;]*\b(?:spec|rules?|match|policy)\b[^;]*;/g,
  ))
    add(new RegExp(`\\b${name}\\.(?:includes|match|search|indexOf)\\(|\\.(?:test|exec)\\(${name}\\)`).exec(code)?.[0]);
  return found;
}

test('no module finds out from text what a rule reads', () => {
  const root = join(import.meta.dirname, '..');
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
      .map((entry) => `src/${folder}/${entry.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/testing/'))
      .filter((path) => !path.startsWith(rewriting))
      .flatMap((path) =>
        sniffing(path, readFileSync(join(root, path), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '')),
      ),
  );
  expect(found).toEqual([]);
});

test.each([
  'const userVariable = /request\\.(userInfo|roles)\\b/;',
  'const asks = words.test(JSON.stringify(program.policy.spec));',
  "if (!JSON.stringify(exception['spec']).includes('namespaceSelector')) continue;",
  'const named = JSON.stringify(rule.spec.match ?? {});\nif (!named.includes(type.kind)) return;',
  'const text = JSON.stringify([program.policy.spec, rules]);\nreturn /x/.test(text);',
  "return new RegExp('request|serviceAccountName');",
  "return expression.includes('request.oldObject');",
])('text that is looked through for what a rule reads is found: %s', (code) => {
  expect(sniffing('x.ts', code)).not.toEqual([]);
});
