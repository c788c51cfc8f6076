import { type Expression, Node, type Template } from '../../src/app/chart/template.ts';

type AnyTemplate<Scope> = Template<Scope>;

/** Block-style YAML in Helm's template language, for objects with gaps. */
export function renderHelm<Scope>(template: AnyTemplate<Scope>, indent = 0): string {
  return [...linesOf(template, indent)].map((line) => `${line}\n`).join('');
}

const pad = (indent: number) => ' '.repeat(indent);

/** The lines of a map or list. */
function* linesOf<Scope>(template: AnyTemplate<Scope>, indent: number): Generator<string> {
  if (template instanceof Node) yield* nodeLines(template, indent);
  else if (Array.isArray(template)) for (const item of template) yield* itemLines(item, indent);
  else
    for (const [key, child] of Object.entries(template as Record<string, AnyTemplate<Scope>>))
      yield* entryLines(key, child, indent);
}

function* nodeLines<Scope>({ content }: Node<Scope>, indent: number): Generator<string> {
  switch (content.type) {
    case 'entries':
      yield* linesOf(content.own, indent);
      yield `${pad(indent)}{{- with ${content.more.helm} }}`;
      yield `${pad(indent)}{{- toYaml . | nindent ${indent} }}`;
      yield `${pad(indent)}{{- end }}`;
      break;
    case 'choice':
      yield* choice(content, indent, (part) => linesOf(part, indent));
      break;
    case 'value':
      yield `${pad(indent)}{{- ${insert(content.value, indent)} }}`;
      break;
    default:
      throw new Error(`a ${content.type} is no map or list`);
  }
}

const insert = ({ helm }: Expression<never>, indent: number) => `toYaml ${helm} | nindent ${indent}`;

function* choice<Scope>(
  content: Extract<Node<Scope>['content'], { type: 'choice' }>,
  indent: number,
  lines: (part: AnyTemplate<Scope>) => Iterable<string>,
): Generator<string> {
  yield `${pad(indent)}{{- if ${content.condition.helm} }}`;
  yield* lines(content.then);
  if (content.otherwise !== undefined) {
    yield `${pad(indent)}{{- else }}`;
    yield* lines(content.otherwise);
  }
  yield `${pad(indent)}{{- end }}`;
}

function* entryLines<Scope>(key: string, child: AnyTemplate<Scope>, indent: number): Generator<string> {
  const start = `${pad(indent)}${/^[\w./-]+$/.test(key) ? key : JSON.stringify(key)}:`;
  if (child instanceof Node) {
    const { content } = child;
    if (content.type === 'choice') yield* choice(content, indent, (part) => entryLines(key, part, indent));
    else if (content.type === 'chart-only') yield* entryLines(key, content.body, indent);
    else if (content.type === 'value' && content.isStructure)
      yield `${start} {{- ${insert(content.value, indent + 2)} }}`;
    else if (content.type === 'block')
      yield `${start} |-\n${pad(indent + 2)}{{- ${content.value.helm} | nindent ${indent + 2} }}`;
    else if (content.type === 'entries') {
      yield start;
      yield* linesOf(child, indent + 2);
    } else yield `${start} ${scalarText(child)}`;
  } else if (isEmpty(child)) yield `${start} ${JSON.stringify(child)}`;
  else if (typeof child === 'object' && child !== null) {
    yield start;
    yield* linesOf(child, indent + (Array.isArray(child) ? 0 : 2));
  } else yield `${start} ${literal(child)}`;
}

const isEmpty = (child: unknown) => typeof child === 'object' && child !== null && Object.keys(child).length === 0;

function* itemLines<Scope>(item: AnyTemplate<Scope>, indent: number): Generator<string> {
  if (item instanceof Node) {
    const { content } = item;
    if (content.type === 'choice') {
      yield* choice(content, indent, (part) => (Array.isArray(part) ? linesOf(part, indent) : itemLines(part, indent)));
      return;
    }
    if (content.type === 'each') {
      yield `${pad(indent)}{{- range $item := ${content.list.helm} }}`;
      yield* itemLines(content.body, indent);
      yield `${pad(indent)}{{- end }}`;
      return;
    }
    if (content.type === 'value' && content.isStructure) {
      yield `${pad(indent)}{{- ${insert(content.value, indent)} }}`;
      return;
    }
    yield `${pad(indent)}- ${scalarText(item)}`;
    return;
  }
  if (typeof item !== 'object' || item === null) {
    yield `${pad(indent)}- ${literal(item)}`;
    return;
  }
  const [first, ...rest] = linesOf(item, indent + 2);
  // A control line cannot follow the dash.
  if (first!.trimStart().startsWith('{{')) yield* [`${pad(indent)}-`, first!, ...rest];
  else yield* [`${pad(indent)}- ${first!.trimStart()}`, ...rest];
}

/** In double quotes, as JSON, so that no text is taken for another type. */
function scalarText<Scope>({ content }: Node<Scope>): string {
  if (content.type === 'value') return `{{ ${content.value.helm} | toJson }}`;
  if (content.type !== 'text') throw new Error(`a ${content.type} is no scalar`);
  const format = content.texts.map((text) => text.replaceAll('%', '%%')).join('%s');
  return `{{ printf ${JSON.stringify(format)} ${content.values.map(({ helm }) => helm).join(' ')} | toJson }}`;
}

function literal(value: string | number | boolean | null): string {
  const isPlain = typeof value !== 'string' || /^[A-Za-z/][\w./:-]*$/.test(value);
  const text =
    isPlain && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(String(value)) ? String(value) : JSON.stringify(value);
  return text.replaceAll(/\{\{/g, '{{ "{{" }}');
}
