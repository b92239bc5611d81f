/**
 * Where instructions are written: chips, field, pickers, Run. Always at the panel's foot.
 */
import {
  addIcon,
  closeIcon,
  codeIcon,
  HTMLSelect,
  runIcon,
  textEditorIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Attachment, PermissionMode } from '../../api/types';
import { errorDiscIcon } from '../../icons';
import { permissionWords } from '../../state/words';
import { Button, Icon } from '../parts/parts';
import { useChanges, useServices } from '../parts/services';
import { Untrusted } from '../untrusted/Untrusted';
import { Field } from './field';

export function Composer({ focusCount }: { focusCount: number }): React.ReactElement {
  const services = useServices();
  const { cabinet, trans } = services;
  const { editor, drafts, connection, runtimes } = cabinet;
  useChanges(editor.changed, drafts.changed, connection.changed, runtimes.changed);
  const { path } = editor;
  const draft = drafts.get(path);
  const working = editor.activeRun !== null;
  const canRun =
    connection.online &&
    path !== null &&
    !working &&
    !editor.submitting &&
    draft.text.trim() !== '';
  const run = () => {
    if (canRun) {
      void editor.submit(draft.text.trim(), draft.attachments);
    }
  };
  const placeholder = working
    ? trans.__('Next instruction. Run is available when this answer is finished.')
    : editor.view === 'session' && editor.detail
      ? trans.__('Continue this session, or type @ to mention a file')
      : trans.__('Write an instruction, @ mentions a file');
  const { host, none } = useField({ focusCount, placeholder, run });
  return (
    <section className="jp-Cabinet-composer" aria-label={trans.__('Instruction')}>
      <div className="jp-Cabinet-composer-box">
        <Chips path={path} attachments={draft.attachments} />
        <div ref={host} className="jp-Cabinet-composer-field" />
      </div>
      {none !== null && (
        <p className="jp-Cabinet-quiet" role="status">
          {trans.__('No match for @%1', none)}
        </p>
      )}
      <div className="jp-Cabinet-composer-foot">
        <Pickers />
        <Button
          filled
          icon={runIcon}
          label={trans.__('Run')}
          disabled={!canRun}
          title={trans.__('Run (Shift+Enter)')}
          onClick={run}
        />
      </div>
    </section>
  );
}

/** The CodeMirror field in its host: made once, told of changes. */
function useField(props: { focusCount: number; placeholder: string; run: () => void }): {
  host: React.RefObject<HTMLDivElement>;
  none: string | null;
} {
  const services = useServices();
  const { cabinet, trans } = services;
  const { editor, drafts } = cabinet;
  const host = React.useRef<HTMLDivElement>(null);
  const field = React.useRef<Field | null>(null);
  const [none, setNone] = React.useState<string | null>(null);
  const run = React.useRef(props.run);
  run.current = props.run;
  React.useEffect(() => {
    const made = new Field({
      host: host.current!,
      services: services.editorServices,
      label: trans.__('Instruction'),
      mentions: {
        find: async query => (await cabinet.client.mentions(query)).items,
        groupTitle: trans.__('Files'),
        onNone: setNone
      },
      onChange: text => drafts.write(editor.path, text),
      onRun: () => run.current(),
      onLeave: services.focusDocument,
      recall: steps => [...editor.instructions].reverse()[steps] ?? null
    });
    // CodeMirror hangs its tooltips outside of the field.
    const foot = trans.__('↑ ↓ choose, Tab or Enter insert, Esc close');
    document.body.style.setProperty('--jp-cabinet-completion-foot', JSON.stringify(foot));
    field.current = made;
    return () => made.dispose();
  }, [services, cabinet, trans, editor, drafts]);
  const text = drafts.get(editor.path).text;
  React.useEffect(() => {
    field.current!.text = text;
  }, [text, editor.path]);
  React.useEffect(() => field.current!.setPlaceholder(props.placeholder), [props.placeholder]);
  React.useEffect(() => {
    if (props.focusCount > 0) {
      field.current!.focus();
    }
  }, [props.focusCount]);
  return { host, none };
}

const CHIP_ICONS: Readonly<Record<Attachment['kind'], LabIcon>> = {
  cell: codeIcon,
  selection: textEditorIcon,
  error: errorDiscIcon
};

/** What is attached, and dashed what could be. */
function Chips(props: {
  path: string | null;
  attachments: Attachment[];
}): React.ReactElement | null {
  const { cabinet, pieces, trans } = useServices();
  useChanges(pieces.changed);
  const attached = new Set(props.attachments.map(piece => piece.kind));
  const offered = pieces.offered().filter(piece => !attached.has(piece.kind));
  if (!props.attachments.length && !offered.length) {
    return null;
  }
  return (
    <div className="jp-Cabinet-chips" role="group" aria-label={trans.__('Attached to the prompt')}>
      {props.attachments.map(piece => (
        <span key={piece.kind} className="jp-Cabinet-chip">
          <Icon icon={CHIP_ICONS[piece.kind]} />
          <Untrusted text={piece.title} />
          <button
            type="button"
            className="jp-Cabinet-chip-remove"
            aria-label={trans.__('Remove %1 from the prompt', piece.title)}
            title={trans.__('Remove %1 from the prompt', piece.title)}
            onClick={() => cabinet.drafts.detach(props.path, piece.kind)}
          >
            <Icon icon={closeIcon} />
          </button>
        </span>
      ))}
      {offered.map(piece => (
        <button
          key={piece.kind}
          type="button"
          className="jp-Cabinet-chip jp-mod-offered"
          aria-label={trans.__('Add %1 to the prompt', piece.title)}
          onClick={() => cabinet.drafts.attach(props.path, piece)}
        >
          <Icon icon={addIcon} />
          <Untrusted text={piece.title} />
        </button>
      ))}
    </div>
  );
}

const OTHER_MODEL = '\u0000other';

function Pickers(): React.ReactElement {
  const services = useServices();
  const { cabinet, trans } = services;
  const { choices, runtimes, connection } = cabinet;
  useChanges(choices.changed, runtimes.changed, connection.changed);
  const row = runtimes.get(choices.runtime);
  const modes = choices.permissionModes;
  const models = row?.capabilities?.models ?? [];
  const known = choices.model && !models.includes(choices.model) ? [choices.model] : [];
  const chooseModel = async (value: string) => {
    const model = value === OTHER_MODEL ? await services.askModel() : value || null;
    if (value !== OTHER_MODEL || model) {
      choices.chooseModel(model);
    }
  };
  const disabled = !connection.online;
  return (
    <div className="jp-Cabinet-pickers">
      {runtimes.found.length > 0 && (
        <HTMLSelect
          className="jp-Cabinet-picker"
          aria-label={trans.__('Runtime')}
          disabled={disabled}
          value={choices.runtime ?? ''}
          onChange={event => choices.chooseRuntime(event.target.value)}
        >
          {runtimes.found.map(found => (
            <option key={found.name} value={found.name}>
              {found.title}
            </option>
          ))}
        </HTMLSelect>
      )}
      {row && (
        <HTMLSelect
          className="jp-Cabinet-picker"
          aria-label={trans.__('Model')}
          disabled={disabled}
          value={choices.model ?? ''}
          onChange={event => void chooseModel(event.target.value)}
        >
          <option value="">{trans.__('Default model')}</option>
          {[...models, ...known].map(model => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
          <option value={OTHER_MODEL}>{trans.__('Other model…')}</option>
        </HTMLSelect>
      )}
      {modes.length > 0 && (
        <HTMLSelect
          className="jp-Cabinet-picker"
          aria-label={trans.__('Permission mode')}
          disabled={disabled}
          value={choices.permissionMode ?? ''}
          onChange={event => choices.choosePermissionMode(event.target.value as PermissionMode)}
        >
          {modes.map(mode => (
            <option key={mode} value={mode}>
              {mode === 'bypass'
                ? `⚠ ${permissionWords(mode, trans)}`
                : permissionWords(mode, trans)}
            </option>
          ))}
        </HTMLSelect>
      )}
    </div>
  );
}
