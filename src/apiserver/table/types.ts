import type { KubeObject, ObjectMeta } from '../../object/index.ts';

/** What a cell can hold in JSON: clients print it as it is. */
export type Cell = string | number | bigint | boolean | null;

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; above that only in wide output. */
  readonly priority: number;
}

export interface TableRowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly metadata: ObjectMeta;
}

export interface TableRow {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly TableRowCondition[];
  readonly object: KubeObject | PartialObjectMetadata | null;
}

export interface TableListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** `meta.k8s.io/v1` Table. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly metadata: TableListMeta;
  /** Null in the later events of a watch: the first one carried them. */
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[];
}

/** One entry of a CRD version's `additionalPrinterColumns`. */
export interface CustomColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}
