/** Drawings of 24 by 24, one line each. */
export const icons = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  close: 'M6 6l12 12M18 6L6 18',
  grid: 'M4 4h7v7H4zM13 4h7v4h-7zM13 10h7v10h-7zM4 13h7v7H4z',
  list: 'M4 6h16M4 12h16M4 18h16',
  filter: 'M4 6h16M7 12h10M10 18h4',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6',
  camera: 'M4 8h4l1.5-2.5h5L16 8h4v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  up: 'M12 20V5M6 11l6-6 6 6',
  down: 'M12 4v15M6 13l6 6 6-6',
  minus: 'M5 12h14',
  plus: 'M5 12h14M12 5v14',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8v.1',
  box: 'M5 3v4M3 5h4M5 9v8a2 2 0 0 0 2 2h8M9 5h8a2 2 0 0 1 2 2v8M19 17v4M17 19h4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  star: 'M12 4l2.5 5 5.5.8-4 3.9.9 5.5-4.9-2.6-4.9 2.6.9-5.5-4-3.9 5.5-.8z',
  check: 'M5 12l5 5 9-10',
  play: 'M8 5v14l11-7z',
  picture: 'M4 5h16v14H4zM8.5 8.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM5 18l5-5 3 3 3-3 4 4',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  same: 'M4 6h10v10H4zM10 10h10v10H10z',
  alike: 'M4 8c3-4 5 4 8 0s5 4 8 0M4 15c3-4 5 4 8 0s5 4 8 0',
} as const;

export type IconName = keyof typeof icons;
