/**
 * Signed requests from outside that start the play: where they go, and the secret that they are signed with.
 */
import { copyIcon } from '@jupyterlab/ui-components';
import { URLExt } from '@jupyterlab/coreutils';
import * as React from 'react';

import type { PlayDetail } from '../../../api/types';
import { Button } from '../../../shared/views/components';
import { useAsking } from '../hooks';
import { MayButton, Refused, Section } from '../parts';
import { usePlays } from './services';

export function Webhook(props: { play: PlayDetail; whyNot: string | null }): React.ReactElement {
  const { play, whyNot } = props;
  const { playbook, trans } = usePlays();
  const { ask, isBusy, refusal } = useAsking();
  const [secret, setSecret] = React.useState<string | null>(null);
  const make = () => void ask(async () => setSecret(await playbook.makeSecret(play.slug)));
  const address = URLExt.join(playbook.baseUrl, 'cabinet/api/hooks/plays', play.slug);
  return (
    <Section title={trans.__('Webhook')}>
      <div className="jp-Cabinet-page-text">
        <p>{trans.__('Signed requests to this address start it:')}</p>
        <code className="jp-Cabinet-code">{address}</code>
        {!play.has_secret && (
          <p>{trans.__('There is no secret yet, so that no request can be signed.')}</p>
        )}
      </div>
      {secret !== null && (
        <div className="jp-Cabinet-page-text" role="status">
          <p>{trans.__('The secret, shown this once:')}</p>
          <code className="jp-Cabinet-code">{secret}</code>
          <Button
            bare
            icon={copyIcon}
            label={trans.__('Copy the secret')}
            onClick={() => void navigator.clipboard.writeText(secret)}
          />
        </div>
      )}
      <Refused text={refusal} />
      <div className="jp-Cabinet-page-bar">
        <MayButton
          label={play.has_secret ? trans.__('New secret') : trans.__('Make a secret')}
          whyNot={whyNot}
          busy={isBusy}
          onClick={make}
        />
        {play.has_secret && (
          <span className="jp-Cabinet-quiet">
            {trans.__('With a new one the one before no longer counts.')}
          </span>
        )}
      </div>
    </Section>
  );
}
