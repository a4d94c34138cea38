import { describe, expect, it } from 'vitest';
import { printable } from '../../src/cli/printable.ts';

describe('a text for a terminal', () => {
  it.each([
    ['Zürich, 東京 🌊\n\ttwo lines', 'Zürich, 東京 🌊\n\ttwo lines'],
    ['\u001B]0;title\u0007\u001B[31mred.jpg', '\\x1b]0;title\\x07\\x1b[31mred.jpg'],
    ['over\rwritten\b', 'over\\x0dwritten\\x08'],
    ['\u009B2J and \u007F', '\\x9b2J and \\x7f'],
  ])('%j has no control characters of others: %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});
