/**
 * The dialog with what an isolated run could see, change and reach. Loaded lazily.
 */
import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { SandboxRecord } from '../../api/types';
import { size } from '../../shared/size';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import type { RunStore } from '../stores/runs';

import '../../../style/shared.css';

/** Resolves when the dialog is closed. A refusal is shown in it. */
export async function showSandbox(
  runs: RunStore,
  runId: string,
  trans: TranslationBundle
): Promise<void> {
  const record = await runs.readSandbox(runId).catch((reason: Error) => reason);
  const body = ReactWidget.create(
    record instanceof Error ? (
      <p role="alert">{visible(record.message)}</p>
    ) : (
      <Sandbox record={record} trans={trans} />
    )
  );
  body.addClass('jp-Cabinet-sandbox');
  await showDialog({
    title: trans.__('What the run could see'),
    body,
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}

interface IProps {
  record: SandboxRecord;
  trans: TranslationBundle;
}

function Sandbox(props: IProps): React.ReactElement {
  const { record, trans } = props;
  const { limits } = record;
  return (
    <>
      <p>
        {trans.__(
          'The operating system refused everything that is not listed here. A deeper path counts more than a path above it, and a later list more than an earlier one.'
        )}
      </p>
      <Paths title={trans.__('Could be read')} paths={record.read} />
      <Paths title={trans.__('Could be changed')} paths={record.changed} isOpen />
      <Paths title={trans.__('Could not be changed or created')} paths={record.fixed} />
      <Paths
        title={trans.__('Temporary: what was written there is lost')}
        paths={record.temporary}
      />
      <Paths title={trans.__('Copies: changes to them are lost')} paths={record.copied} />
      <Paths title={trans.__('Hidden')} paths={record.hidden} />
      <Network {...props} />
      <h3>{trans.__('Limits')}</h3>
      <ul>
        <li>{trans.__('Processes and threads: %1', limits.processes.toLocaleString('en'))}</li>
        <li>
          {trans.__('Open files of each process: %1', limits.open_files.toLocaleString('en'))}
        </li>
        <li>{trans.__('Largest file: %1', size(limits.file_bytes))}</li>
        <li>{trans.__('Size of /tmp: %1', size(limits.temporary_bytes))}</li>
      </ul>
    </>
  );
}

function Paths(props: {
  title: string;
  paths: readonly string[];
  isOpen?: boolean;
}): React.ReactElement | null {
  const { isOpen, paths, title } = props;
  return paths.length === 0 ? null : (
    <details open={isOpen}>
      <summary>
        {title} <span className="jp-Cabinet-quiet">{paths.length}</span>
      </summary>
      <ul>
        {paths.map(path => (
          <li key={path}>
            <Untrusted text={path} className="jp-Cabinet-path" />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What could be reached, and how often it was. */
function Network({ record, trans }: IProps): React.ReactElement {
  const { every_public_host: isOpen, hosts, reached, refused } = record;
  return (
    <>
      <h3>{trans.__('Network')}</h3>
      <p>
        {isOpen
          ? trans.__('Every public host could be reached.')
          : hosts.length === 0
            ? trans.__('No host could be reached.')
            : trans.__('These hosts could be reached: %1', visible(hosts.join(', ')))}
      </p>
      <Connections title={trans.__('Connections')} counts={reached} trans={trans} />
      <Connections title={trans.__('Refused connections')} counts={refused} trans={trans} />
    </>
  );
}

/** A bar for each host, the longest for the most frequent. */
function Connections(props: {
  title: string;
  counts: Readonly<Record<string, number>>;
  trans: TranslationBundle;
}): React.ReactElement | null {
  const { counts, title, trans } = props;
  const hosts = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const most = hosts[0]?.[1] ?? 0;
  return hosts.length === 0 ? null : (
    <table className="jp-Cabinet-connections">
      <caption>{title}</caption>
      <tbody>
        {hosts.map(([host, count]) => (
          <tr key={host}>
            <th scope="row">
              <Untrusted text={host} className="jp-Cabinet-path" />
            </th>
            <td title={trans._n('%1 connection', '%1 connections', count)}>
              <span style={{ width: `${(100 * count) / most}%` }} aria-hidden="true" />
              {count.toLocaleString('en')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
