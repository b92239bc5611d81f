import { nullTranslator } from '@jupyterlab/translation';
import { whyNotChange, whyNotDecide, whyNotRead } from './rights';

const trans = nullTranslator.load('');
const ADA = { online: true, inBrowser: true, mayChangeAgents: true };

it('says who may not change skills before they try', () => {
  expect(whyNotChange(ADA, trans)).toBeNull();
  expect(whyNotChange({ ...ADA, mayChangeAgents: false }, trans)).toContain('not change them');
  expect(whyNotRead({ online: true }, trans)).toBeNull();
  expect(whyNotChange({ ...ADA, online: false }, trans)).toContain('cannot be reached');
});

it('leaves decisions to a person in a browser', () => {
  expect(whyNotDecide(ADA, trans)).toBeNull();
  expect(whyNotDecide({ ...ADA, inBrowser: false }, trans)).toContain('logged in with a browser');
  expect(whyNotDecide({ ...ADA, mayChangeAgents: false }, trans)).toContain('not change them');
});
