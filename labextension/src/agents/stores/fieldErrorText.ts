/**
 * What our own rules say of a value in a form of an agent, in a sentence. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { WRONG } from './newAgentRules';

/** `wrong`: a code of `WRONG`, or a sentence of the server, which stays as it is. */
export function fieldErrorText(wrong: string, trans: TranslationBundle): string {
  switch (wrong) {
    case WRONG.slug:
      return trans.__(
        'Use lowercase letters, digits and hyphens, at most 64 characters. Do not begin with a hyphen.'
      );
    case WRONG.taken:
      return trans.__('An agent with this name already exists.');
    case WRONG.name:
      return trans.__('Enter a name of 1 to 200 characters.');
    case WRONG.heartbeat:
      return trans.__(
        'Enter five fields (minute, hour, day of month, month, day of week), such as 0 8 * * 1-5, or @daily, or every 4h.'
      );
    case WRONG.alias:
      return trans.__('Use @hourly, @daily, @weekly, @monthly or @yearly.');
    case WRONG.interval:
      return trans.__(
        'Enter an interval of at most 366 days in minutes, hours or days, such as 15m, 4h or 2d.'
      );
    case WRONG.budget:
      return trans.__('Enter a whole number from 0 to 1,000,000.');
    case WRONG.cost:
      return trans.__('Enter an amount in USD, such as 2.50, or leave this empty.');
    case WRONG.template:
      return trans.__('Choose a template.');
    case WRONG.zone:
      return trans.__('This time zone is unknown. Use a name such as Europe/Berlin or UTC.');
    case WRONG.count:
      return trans.__('Enter a whole number. The interval can be at most 366 days.');
    case WRONG.time:
      return trans.__('Enter a time of day, such as 08:00.');
    case WRONG.metric:
      return trans.__('Enter a name for what the goal counts (1 to 100 characters).');
    case WRONG.metricTwice:
      return trans.__('Another goal already counts this. Use another name.');
    case WRONG.target:
      return trans.__('Enter a number.');
    case WRONG.unit:
      return trans.__('Use at most 50 characters.');
    case WRONG.period:
      return trans.__('Choose daily, weekly or monthly.');
    default:
      return wrong;
  }
}
