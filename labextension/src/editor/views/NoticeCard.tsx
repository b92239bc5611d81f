/**
 * What the editor could not do, and the question whether a folder is trusted.
 */
import { lockIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { errorDiscIcon } from '../../shared/icons';
import { trustWords, whyNotTrust } from '../../shared/trustWords';
import type { Notice } from '../stores/notices';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

export function NoticeCard({ notice }: { notice: Notice }): React.ReactElement {
  const { focusComposer, trans, editor } = useServices();
  if (notice.kind === 'trust') {
    return <TrustCard root={notice.trust.root} />;
  }
  return (
    <Card
      icon={<Icon icon={errorDiscIcon} />}
      title={trans.__('This did not work')}
      actions={
        <Button
          label={trans.__('Dismiss')}
          onClick={() => {
            editor.dismissNotice();
            focusComposer();
          }}
        />
      }
    >
      <Untrusted text={notice.message} />
    </Card>
  );
}

function TrustCard({ root }: { root: string }): React.ReactElement {
  const { focusComposer, trans, connection, editor } = useServices();
  useChanges(connection.changed);
  const whyNot = whyNotTrust(connection.health?.you, trans);
  return (
    <Card
      className="jp-Cabinet-trust"
      icon={<Icon icon={lockIcon} />}
      title={trans.__('Trust this folder?')}
      actions={
        <>
          {whyNot === null && (
            <Button
              filled
              label={trans.__('Trust this folder')}
              onClick={() => {
                void editor.confirmTrust();
                focusComposer();
              }}
            />
          )}
          <Button
            label={trans.__('Cancel')}
            onClick={() => {
              editor.dismissNotice();
              focusComposer();
            }}
          />
        </>
      }
    >
      <p>
        <Untrusted className="jp-Cabinet-code" text={root} />
      </p>
      <p>{trustWords(trans)}</p>
      {whyNot !== null && <p>{whyNot}</p>}
    </Card>
  );
}
