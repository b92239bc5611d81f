/**
 * What the views of agents and plays ask the server for, as React hooks.
 */
import * as React from 'react';

import { useChanges } from '../../shared/views/hooks';
import type { Resource } from '../../shared/resource';

/** Something that is read for as long as it is shown. */
export function useResource<T>(make: () => Resource<T>, key: string): Resource<T> {
  // A new reading is only made for another key.
  const reading = React.useMemo(make, [key]);
  React.useEffect(() => () => reading.dispose(), [reading]);
  useChanges(reading.changed);
  return reading;
}

/** One thing that a person asks for, and why it was refused. */
export function useAsking(): {
  isBusy: boolean;
  refusal: string | null;
  ask: (what: () => Promise<unknown>) => Promise<boolean>;
} {
  const [isBusy, setBusy] = React.useState(false);
  const [refusal, setRefusal] = React.useState<string | null>(null);
  const ask = async (what: () => Promise<unknown>) => {
    setBusy(true);
    setRefusal(null);
    try {
      await what();
      return true;
    } catch (reason) {
      setRefusal((reason as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, refusal, ask };
}
