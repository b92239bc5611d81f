/**
 * The soul that the agent proposes: how it differs from the present one, and what a person can do about it. Without a
 * proposal, the person can let the agent reflect.
 */
import * as React from 'react';

import type { AgentDetail, SoulProposal } from '../../../api/types';
import { diffIcon, warningIcon } from '../../../shared/icons';
import { lineDiff } from '../../../shared/lineDiff';
import { when } from '../../../shared/time';
import { DiffLines } from '../../../shared/views/DiffLines';
import { Button, Icon, Strip } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { MayButton, Refused } from '../parts';
import { usePage, useWhyNot } from './services';

export function ProposedSoul({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page } = usePage();
  const { drafts, proposals } = page;
  useChanges(proposals.changed, drafts.changed);
  const { edited, waiting } = proposals;
  const why = useWhyNot(agent);
  return (
    <>
      <Refused text={proposals.problem} />
      <Refused text={proposals.refusal} />
      {waiting === null ? (
        <Reflect />
      ) : edited === null ? (
        <Waiting proposal={waiting} whyNot={why} />
      ) : (
        <Edited proposal={waiting} whyNot={why} />
      )}
    </>
  );
}

function Reflect(): React.ReactElement {
  const { page, trans } = usePage();
  const why = useWhyNot();
  const [busy, setBusy] = React.useState(false);
  const [refused, setRefused] = React.useState<string | null>(null);
  const reflect = () => {
    setBusy(true);
    setRefused(null);
    page
      .reflect()
      .catch((reason: Error) => setRefused(reason.message))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <Refused text={refused} />
      <div className="jp-Cabinet-page-bar">
        <MayButton label={trans.__('Reflect')} whyNot={why} busy={busy} onClick={reflect} />
        <span className="jp-Cabinet-quiet">
          {trans.__('The agent reads its memory and may propose a new text. You decide about it.')}
        </span>
      </div>
    </>
  );
}

function Waiting(props: { proposal: SoulProposal; whyNot: string | null }): React.ReactElement {
  const { proposal, whyNot } = props;
  const { page, trans } = usePage();
  const { proposals } = page;
  const lines = React.useMemo(
    () => lineDiff(proposal.present, proposal.text),
    [proposal.present, proposal.text]
  );
  const isTrouble = proposal.stale || proposal.problem !== '';
  const blocked = whyNot ?? (proposal.problem || null);
  return (
    <section aria-label={trans.__('Proposed text')} className="jp-Cabinet-page-proposal">
      <Strip
        tone={isTrouble ? 'warning' : 'brand'}
        icon={<Icon icon={isTrouble ? warningIcon : diffIcon} />}
      >
        {proposal.problem ? (
          <Untrusted text={proposal.problem} />
        ) : proposal.stale ? (
          trans.__('SOUL.md has changed since the agent read it. Compare the proposal again.')
        ) : (
          trans.__('The agent proposed this text %1.', when(proposal.at, new Date(), trans))
        )}
      </Strip>
      <div className="jp-Cabinet-page-bar">
        {proposal.stale ? (
          <MayButton
            filled
            label={trans.__('Compare again')}
            whyNot={blocked}
            busy={proposals.isBusy}
            onClick={() => void proposals.compareAgain(proposal)}
          />
        ) : (
          <>
            <MayButton
              filled
              label={trans.__('Accept')}
              whyNot={blocked}
              busy={proposals.isBusy}
              onClick={() => void proposals.accept(proposal)}
            />
            <MayButton
              label={trans.__('Edit')}
              whyNot={whyNot}
              onClick={() => proposals.edit(proposal)}
            />
          </>
        )}
        <MayButton
          label={trans.__('Reject')}
          whyNot={whyNot}
          busy={proposals.isBusy}
          onClick={() => void proposals.refuse(proposal)}
        />
        <span className="jp-Cabinet-quiet">
          {trans.__('Lines with − would be removed. Lines with + would be added.')}
        </span>
      </div>
      <DiffLines lines={lines} label={trans.__('Proposed changes')} />
    </section>
  );
}

function Edited(props: { proposal: SoulProposal; whyNot: string | null }): React.ReactElement {
  const { proposal, whyNot } = props;
  const { page, trans } = usePage();
  const { proposals } = page;
  const edited = proposals.edited!;
  return (
    <section aria-label={trans.__('Proposed text')} className="jp-Cabinet-page-editor">
      <textarea
        className="jp-Cabinet-page-area jp-Cabinet-code"
        aria-label={trans.__('Proposed text')}
        spellCheck={false}
        autoFocus
        value={edited.text}
        onChange={event => edited.write(event.target.value)}
      />
      <div className="jp-Cabinet-page-bar">
        <MayButton
          filled
          label={trans.__('Save as SOUL.md')}
          whyNot={whyNot}
          busy={proposals.isBusy}
          onClick={() => void proposals.accept(proposal, edited.text)}
        />
        <Button label={trans.__('Back to the proposal')} onClick={() => proposals.stopEditing()} />
      </div>
    </section>
  );
}
