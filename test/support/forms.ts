import sharp from 'sharp';

const words = 'river stone window paper candle market silver garden bridge winter letter copper harbour meadow'.split(
  ' ',
);

/** A form of one print, filled in in one of several ways: its ruled lines are those of all others. */
export function drawForm(own: number): Promise<Buffer> {
  const rows = Array.from({ length: 14 }, (_, row) => {
    const text = [0, 3].map((k) => words[(own * 5 + row * (3 + own) + k) % words.length]).join(' ');
    const amount = ((own + 1) * 37.13 * (row + 3)) % 900;
    const y = 200 + row * 60;
    const line = `<rect x="60" y="${y}" width="780" height="2" fill="#000"/>`;
    return `${line}<text x="80" y="${y + 38}">${text}</text><text x="700" y="${y + 38}">${amount.toFixed(2)}</text>`;
  });
  const title = '<text x="60" y="105" font-size="60">INVOICE</text>';
  const body = `<rect width="900" height="1200" fill="#fff"/>${title}${rows.join('')}`;
  return sharp(Buffer.from(`<svg width="900" height="1200" font-size="24" font-family="sans-serif">${body}</svg>`))
    .jpeg()
    .toBuffer();
}
