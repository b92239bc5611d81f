import { nullTranslator } from '@jupyterlab/translation';
import { whyNotChange } from './rights';

const trans = nullTranslator.load('');
const ADA = { online: true, inBrowser: true, mayUseChannels: true };

it('says who may not change channels before they try', () => {
  expect(whyNotChange(ADA, trans)).toBeNull();
  expect(whyNotChange({ ...ADA, mayUseChannels: false }, trans)).toContain('not change them');
  expect(whyNotChange({ ...ADA, inBrowser: false }, trans)).toContain('logged in with a browser');
  expect(whyNotChange({ ...ADA, online: false }, trans)).toContain('cannot be reached');
});
