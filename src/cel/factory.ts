import { accumulatorName, type CallNode, type ComprehensionForm, type ComprehensionNode, type Node } from './ast.ts';

/** Makes nodes, each with a new id; `offset` is where the mistakes of a made-up node are told. */
export class NodeFactory {
  count = 0;

  id(): number {
    return ++this.count;
  }

  literal(offset: number, value: unknown): Node {
    return { kind: 'literal', id: this.id(), offset, value };
  }

  ident(offset: number, name: string): Node {
    return { kind: 'ident', id: this.id(), offset, name };
  }

  accumulator(offset: number): Node {
    return this.ident(offset, accumulatorName);
  }

  select(offset: number, operand: Node, field: string, isTest = false): Node {
    return { kind: 'select', id: this.id(), offset, operand, field, isTest };
  }

  call(offset: number, name: string, args: readonly Node[], target?: Node): CallNode {
    return { kind: 'call', id: this.id(), offset, name, target, args };
  }

  list(offset: number, items: readonly Node[] = []): Node {
    return { kind: 'list', id: this.id(), offset, items: items.map((value) => ({ value, isOptional: false })) };
  }

  map(offset: number): Node {
    return { kind: 'map', id: this.id(), offset, entries: [] };
  }

  comprehension(offset: number, parts: Omit<ComprehensionNode, 'kind' | 'id' | 'offset'>): Node {
    return { kind: 'comprehension', id: this.id(), offset, ...parts };
  }

  /** The same tree with new ids; what is in it twice is in the copy twice. */
  copy(node: Node, copies = new Map<Node, Node>()): Node {
    const known = copies.get(node);
    if (known) return known;
    const copied = this.copyNode(node, (child) => this.copy(child, copies));
    copies.set(node, copied);
    return copied;
  }

  private copyNode(node: Node, copy: (child: Node) => Node): Node {
    const id = this.id();
    switch (node.kind) {
      case 'literal':
      case 'ident':
        return { ...node, id };
      case 'select':
        return { ...node, id, operand: copy(node.operand) };
      case 'call':
        return { ...node, id, target: node.target && copy(node.target), args: node.args.map((arg) => copy(arg)) };
      case 'list':
        return { ...node, id, items: node.items.map((item) => ({ ...item, value: copy(item.value) })) };
      case 'map':
        return {
          ...node,
          id,
          entries: node.entries.map((entry) => ({ ...entry, key: copy(entry.key), value: copy(entry.value) })),
        };
      case 'struct':
        return {
          ...node,
          id,
          fields: node.fields.map((field) => ({ ...field, id: this.id(), value: copy(field.value) })),
        };
      case 'comprehension':
        return {
          ...node,
          id,
          range: copy(node.range),
          init: copy(node.init),
          condition: copy(node.condition),
          step: copy(node.step),
          result: copy(node.result),
          form: copyForm(node.form, copy),
        };
    }
  }
}

function copyForm(form: ComprehensionForm, copy: (child: Node) => Node): ComprehensionForm {
  switch (form.kind) {
    case 'bind':
      return form;
    case 'append':
      return { ...form, filter: form.filter && copy(form.filter), item: copy(form.item) };
    case 'insert':
      return {
        ...form,
        filter: form.filter && copy(form.filter),
        key: form.key && copy(form.key),
        item: copy(form.item),
      };
    default:
      return { ...form, predicate: copy(form.predicate) };
  }
}
