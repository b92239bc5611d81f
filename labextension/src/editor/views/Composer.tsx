/**
 * Where instructions are written: chips, field, pickers, Run. Always at the panel's foot.
 */
import {
  addIcon,
  closeIcon,
  codeIcon,
  inspectorIcon,
  runIcon,
  textEditorIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Attachment } from '../../api/types';
import { errorDiscIcon } from '../../shared/icons';
import { Button, Icon } from '../../shared/views/components';
import { useChanges, useLasting } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';
import { InstructionField } from './instructionField';
import { PickerNotes, Pickers } from './Pickers';

/** As long as nothing is said of what is quick. */
const SENDING_AFTER_MS = 300;

export function Composer({ focusCount }: { focusCount: number }): React.ReactElement {
  const services = useServices();
  const { trans, editor, connection, runtimes, choices } = services;
  const { drafts } = editor;
  useChanges(editor.changed, drafts.changed, connection.changed, runtimes.changed, choices.changed);
  const { path } = editor;
  const draft = drafts.get(path);
  const { willQueue } = editor;
  const canRun =
    connection.online && path !== null && !editor.submitting && draft.text.trim() !== '';
  const run = () => {
    if (canRun) {
      void editor.submit(draft.text.trim(), draft.attachments);
    }
  };
  const placeholder = willQueue
    ? trans.__('Next instruction. It is queued until this answer is finished.')
    : editor.view === 'session' && editor.detail && !editor.isForeign
      ? trans.__('Continue this session, or type @ to mention a file')
      : trans.__('Write an instruction. Type @ to mention a file.');
  const label = willQueue ? trans.__('Queue') : trans.__('Run');
  const sending = useLasting(editor.sending, SENDING_AFTER_MS);
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
          icon={willQueue ? addIcon : runIcon}
          label={sending ? trans.__('Sending') : label}
          disabled={!canRun}
          title={willQueue ? trans.__('Queue (Shift+Enter)') : trans.__('Run (Shift+Enter)')}
          onClick={() => {
            run();
            services.focusComposer();
          }}
        />
      </div>
      <PickerNotes />
    </section>
  );
}

/** The CodeMirror field in its host: made once, updated with changes. */
function useField(props: { focusCount: number; placeholder: string; run: () => void }): {
  host: React.RefObject<HTMLDivElement>;
  none: string | null;
} {
  const services = useServices();
  const { trans, editor } = services;
  const { drafts } = editor;
  const host = React.useRef<HTMLDivElement>(null);
  const field = React.useRef<InstructionField | null>(null);
  const [none, setNone] = React.useState<string | null>(null);
  const run = React.useRef(props.run);
  run.current = props.run;
  React.useEffect(() => {
    const made = new InstructionField({
      host: host.current!,
      services: services.editorServices,
      label: trans.__('Instruction'),
      mentions: {
        find: async query => await editor.findFiles(query),
        groupTitle: trans.__('Files'),
        onNone: setNone
      },
      onChange: text => drafts.write(editor.path, text),
      onRun: () => run.current(),
      onLeave: services.focusDocument,
      recall: steps => [...editor.instructions].reverse()[steps] ?? null
    });
    // CodeMirror hangs its tooltips outside of the field.
    const foot = trans.__('↑ ↓ to choose, Tab or Enter to insert, Esc to close');
    document.body.style.setProperty('--jp-cabinet-completion-foot', JSON.stringify(foot));
    field.current = made;
    return () => made.dispose();
  }, [services, trans, editor, drafts]);
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
  error: errorDiscIcon,
  variable: inspectorIcon
};

/** What is attached, and dashed what could be. */
function Chips(props: {
  path: string | null;
  attachments: Attachment[];
}): React.ReactElement | null {
  const { focusComposer, attachable, trans, editor } = useServices();
  useChanges(attachable.changed);
  const attached = new Set(props.attachments.map(piece => piece.kind));
  const offered = attachable.offered().filter(piece => !attached.has(piece.kind));
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
            onClick={() => {
              editor.drafts.detach(props.path, piece.kind);
              focusComposer();
            }}
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
          onClick={() => {
            editor.drafts.attach(props.path, piece);
            focusComposer();
          }}
        >
          <Icon icon={addIcon} />
          <Untrusted text={piece.title} />
        </button>
      ))}
    </div>
  );
}
