import { fittingFont, SMALLEST_FONT, smallerFont } from './scale';

const size = (cols: number, rows: number) => ({ cols, rows });

describe('fittingFont', () => {
  it('leaves the font where the screen fits', () => {
    expect(fittingFont(12, size(120, 40), size(80, 24))).toBe(12);
  });

  it('makes it smaller by the tighter side', () => {
    expect(fittingFont(12, size(100, 40), size(120, 40))).toBe(10);
    expect(fittingFont(14, size(120, 30), size(120, 40))).toBe(10.5);
  });

  it('stops where it can no longer be read: the rest scrolls', () => {
    expect(fittingFont(12, size(20, 10), size(200, 60))).toBe(SMALLEST_FONT);
    expect(fittingFont(6, size(20, 10), size(200, 60))).toBe(6);
    expect(smallerFont(SMALLEST_FONT)).toBeNull();
  });
});
