import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { showToast } from '../data/app-state.ts';
import { readAll } from '../data/list.ts';
import { type Cell, renderCsv } from '../model/csv.ts';
import { Menu } from './controls.tsx';
import { Icon } from './icon.tsx';

export type ExportColumns<Row> = readonly (readonly [name: string, value: (row: Row) => Cell])[];

interface ExportProps<Row> {
  readonly path: string;
  readonly file: string;
  readonly columns: ExportColumns<Row>;
}

/** Every row of the filter as a file, also those that were not scrolled to. */
export function ExportMenu<Row>({ path, file, columns }: ExportProps<Row>): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  const save = async (format: 'csv' | 'json') => {
    setBusy(true);
    try {
      const rows = await readAll<Row>(path, ended.current.signal);
      if ('code' in rows) showToast(`Not exported: ${rows.message}`);
      else if (format === 'json') download(`${file}.json`, 'application/json', `${JSON.stringify(rows, null, 2)}\n`);
      else {
        const header = columns.map(([name]) => name);
        const cells = rows.map((row) => columns.map(([, value]) => value(row)));
        download(`${file}.csv`, 'text/csv;charset=utf-8', renderCsv(header, cells));
      }
    } catch (thrown) {
      // Aborted: another view is shown.
      if (!ended.current.signal.aborted) throw thrown;
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      label={
        <>
          <Icon name={isBusy ? 'spin' : 'download'} size={14} />
          {isBusy ? 'Exporting' : 'Export'}
        </>
      }
    >
      <button type="button" disabled={isBusy} onClick={() => void save('csv')}>
        CSV
      </button>
      <button type="button" disabled={isBusy} onClick={() => void save('json')}>
        JSON
      </button>
    </Menu>
  );
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
