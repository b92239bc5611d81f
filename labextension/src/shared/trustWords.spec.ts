import { nullTranslator } from '@jupyterlab/translation';
import { whyNotTrust } from './trustWords';

const trans = nullTranslator.load('');

it('says who may trust a folder', () => {
  expect(whyNotTrust({ in_browser: true, may_trust: true }, trans)).toBeNull();
  expect(whyNotTrust({ in_browser: true, may_trust: false }, trans)).toContain('administrator');
  expect(whyNotTrust({ in_browser: false, may_trust: false }, trans)).toContain('in the browser');
  expect(whyNotTrust(undefined, trans)).toContain('in the browser');
});
