import { isAnswered, noteOf } from './questionAnswers';

describe('Answers to several questions', () => {
  it('are a line each, whatever was chosen or written', () => {
    expect(
      noteOf([
        { chosen: ['CSV'], words: '' },
        { chosen: ['date', 'amount'], words: ' and\nthe  name ' },
        { chosen: [], words: 'none' }
      ])
    ).toBe('CSV\ndate, amount, and the name\nnone');
  });

  it('are complete when each says something', () => {
    expect(isAnswered({ chosen: [], words: '  ' })).toBe(false);
    expect(isAnswered({ chosen: [], words: 'x' })).toBe(true);
    expect(isAnswered({ chosen: ['CSV'], words: '' })).toBe(true);
  });
});
