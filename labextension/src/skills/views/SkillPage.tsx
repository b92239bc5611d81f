/**
 * One skill: its state, what can be decided, and every file in it.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { SkillDetail, SkillFile } from '../../api/types';
import { lineDiff } from '../../shared/lineDiff';
import { visible } from '../../shared/untrusted';
import { Button, StateMark } from '../../shared/views/components';
import { DiffLines } from '../../shared/views/DiffLines';
import { Problem } from '../../shared/views/Problem';
import { Untrusted } from '../../shared/views/Untrusted';
import {
  consequence,
  facts,
  fileNote,
  hiddenLabel,
  stateLabel,
  unseenLabel,
  whyNotEdit
} from '../stores/labels';
import { useSkills, useWhyNot, useWhyNotDecide, useWhyNotRead } from './services';

interface ISkillProps {
  skill: SkillDetail;
}

export function SkillPage({ skill }: ISkillProps): React.ReactElement {
  const { skills, trans } = useSkills();
  const { newer } = skills;
  const warnings = [hiddenLabel(skill, trans), unseenLabel(skill, trans)];
  return (
    <section
      className="jp-Cabinet-pane-page jp-Cabinet-pane-scroll"
      aria-label={trans.__('Skill')}
      tabIndex={-1}
    >
      <header className="jp-Cabinet-pane-head">
        <Button
          link
          className="jp-Cabinet-pane-back"
          label={trans.__('Back to the list')}
          onClick={() => skills.choose(null)}
        />
        <h2 tabIndex={-1}>{skill.name}</h2>
        <p>
          <Untrusted text={skill.description} />
        </p>
        <State skill={skill} />
        <p className="jp-Cabinet-quiet">
          <Untrusted text={facts(skill, trans)} />
        </p>
        {[...skill.problems, ...warnings.filter(text => text !== null)].map(text => (
          <p key={text} className="jp-Cabinet-pane-line jp-mod-warning">
            <StateMark icon="warning" />
            <Untrusted text={text} />
          </p>
        ))}
        {newer && (
          <Problem
            trans={trans}
            text={trans.__('The files have changed since you opened this skill.')}
            action={
              <Button label={trans.__('Show the new files')} onClick={() => void skills.reload()} />
            }
          />
        )}
        <Actions skill={skill} />
      </header>
      {skill.contents.map(file => (
        <Content key={file.path} file={file} />
      ))}
    </section>
  );
}

function State({ skill }: ISkillProps): React.ReactElement {
  const { openAgent, trans } = useSkills();
  const { icon, label } = stateLabel(skill, trans);
  return (
    <p className="jp-Cabinet-pane-line">
      <StateMark icon={icon} />
      <strong>{label}</strong>
      <span>{consequence(skill, trans)}</span>
      {skill.agents.map(slug => (
        <Button key={slug} link label={slug} onClick={() => openAgent(slug)} />
      ))}
    </p>
  );
}

function Actions({ skill }: ISkillProps): React.ReactElement {
  const { announce, skills, trans } = useSkills();
  const blocked = useWhyNot();
  const unread = useWhyNotRead();
  const exchanged = skills.newer ? trans.__('The files have changed. Look at them first.') : null;
  const undecided = useWhyNotDecide() ?? exchanged;
  const busy = skills.isBusy;
  const approve = async () => {
    if ((await acceptsUnseen(skill, trans)) && (await skills.decide(skill, 'approve'))) {
      announce(trans.__('Approved'));
    }
  };
  const reject = async () => {
    if (await skills.decide(skill, 'reject')) {
      announce(trans.__('Rejected'));
    }
  };
  const remove = async () => {
    const { button } = await showDialog({
      title: trans.__('Remove the skill “%1”?', visible(skill.name)),
      body: trans.__(
        'Its folder is moved to .playbooks/.trash/. If it comes back, it has to be approved again.'
      ),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Remove') })],
      defaultButton: 0
    });
    if (button.accept) {
      await skills.remove(skill);
    }
  };
  const canApprove = ['pending', 'changed', 'rejected'].includes(skill.state);
  const canReject = ['pending', 'changed', 'approved'].includes(skill.state);
  return (
    <div className="jp-Cabinet-pane-actions">
      {canApprove && (
        <Button
          filled
          label={trans.__('Approve')}
          title={trans.__('Agents that list it get exactly these files')}
          blocked={undecided}
          busy={busy}
          onClick={() => void approve()}
        />
      )}
      {canReject && (
        <Button
          label={trans.__('Reject')}
          blocked={undecided}
          busy={busy}
          onClick={() => void reject()}
        />
      )}
      {skill.hash !== '' && (
        <Button
          label={trans.__('Edit…')}
          blocked={blocked ?? whyNotEdit(skill, trans)}
          onClick={() => skills.show({ kind: 'text', skill })}
        />
      )}
      <Button
        label={trans.__('Remove…')}
        blocked={blocked}
        busy={busy}
        onClick={() => void remove()}
      />
      <Button
        label={trans.__('Reload')}
        title={trans.__('Read the files again')}
        blocked={unread}
        onClick={() => void skills.reload()}
      />
    </div>
  );
}

/** Whether the person approves also what this page does not show whole. */
async function acceptsUnseen({ unseen }: SkillDetail, trans: TranslationBundle): Promise<boolean> {
  if (unseen.length === 0) {
    return true;
  }
  const { button } = await showDialog({
    title: trans.__('Approve files that are not shown?'),
    body: trans.__(
      'This page does not show these files whole: %1. Approve them only if you have looked at them in another editor, or trust where they come from.',
      unseen.map(visible).join(', ')
    ),
    buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Approve') })],
    defaultButton: 0
  });
  return button.accept;
}

/** A file, beside what was approved if that differs. */
function Content({ file }: { file: SkillFile }): React.ReactElement {
  const { trans } = useSkills();
  const id = React.useId();
  const note = fileNote(file, trans);
  return (
    <section className="jp-Cabinet-library-file" aria-labelledby={id}>
      <h3 id={id}>
        <Untrusted text={file.path} />
        {note && <span className="jp-Cabinet-quiet">{note}</span>}
      </h3>
      <Text file={file} />
      {file.cut && (
        <p>{trans.__('Only the beginning is shown. Open the file to read the rest.')}</p>
      )}
    </section>
  );
}

function Text({ file }: { file: SkillFile }): React.ReactElement {
  const { trans } = useSkills();
  const { before, change, text } = file;
  const label = trans.__('Text of %1', visible(file.path));
  if (change !== 'same' && (before ?? text) !== null) {
    return <DiffLines whole lines={lineDiff(before ?? '', text ?? '')} label={label} />;
  }
  if (text === null) {
    return <p>{trans.__('This file is not text. Open it to look at it.')}</p>;
  }
  return (
    <pre className="jp-Cabinet-library-text" tabIndex={0} aria-label={label}>
      <Untrusted text={text} />
    </pre>
  );
}
