import { type KubeObject, renderGroupResource } from '../../object/index.ts';
import { builtinPrinters, plainPrinter } from './builtin-printers.ts';
import { compileCustomColumns } from './custom-columns.ts';
import type { Printer } from './printer.ts';
import type { CustomColumn, Table, TableListMeta, TableRow } from './types.ts';

interface RenderTableOptions {
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
  };
  readonly objects: readonly KubeObject[];
  /** Milliseconds since the epoch: ages are counted from here. */
  readonly now: number;
  /** What each row carries beside its cells. */
  readonly includeObject: 'Metadata' | 'Object' | 'None';
  /** Only for custom resources, and always for them: `additionalPrinterColumns`, possibly empty. */
  readonly columns?: readonly CustomColumn[];
  /** False for the later events of a watch. */
  readonly headers?: boolean;
  /** The list's, or a single object's resourceVersion. */
  readonly metadata?: TableListMeta;
}

// A CRD version keeps its array of columns for as long as it is served: compiling is done once for each.
const compiled = new WeakMap<readonly CustomColumn[], Printer>();

/** The objects as the API server shows them to kubectl. Throws JsonPathError for a column that cannot be read. */
export function renderTable(options: RenderTableOptions): Table {
  const printer = printerFor(options);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata ?? {},
    columnDefinitions: options.headers === false ? null : printer.columns,
    rows: options.objects.map((object) => renderRow(object, printer, options)),
  };
}

function printerFor({ resource, columns }: RenderTableOptions): Printer {
  if (!columns) return builtinPrinters.get(renderGroupResource(resource)) ?? plainPrinter;
  const known = compiled.get(columns);
  if (known) return known;
  const printer = compileCustomColumns(columns);
  compiled.set(columns, printer);
  return printer;
}

function renderRow(object: KubeObject, printer: Printer, { now, includeObject }: RenderTableOptions): TableRow {
  const conditions = printer.conditions?.(object);
  return {
    cells: printer.cells(object, now),
    ...(conditions ? { conditions } : {}),
    object: rowObject(object, includeObject),
  };
}

function rowObject(object: KubeObject, include: RenderTableOptions['includeObject']): TableRow['object'] {
  if (include === 'None') return null;
  if (include === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
