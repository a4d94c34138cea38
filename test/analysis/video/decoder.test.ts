import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeClip } from '../../support/clips.ts';
import { installWithout } from '../../support/installation.ts';
import { full } from '../../support/effort.ts';

const missing = 'the decoder (@napi-rs/webcodecs) is not installed on this machine';

it(
  'a machine without the decoder reads what a video says of itself, and both a reading and vitrine doctor say why it has no frames',
  full,
  async () => {
    const folder = installWithout('@napi-rs');
    writeFileSync(join(folder, 'clip.webm'), await makeClip());
    const script = `
    import { readFileSync } from 'node:fs';
    import { createVideoReader } from './dist/src/analysis/video/reader.js';
    const bytes = readFileSync('clip.webm');
    const reader = createVideoReader();
    const source = { size: bytes.length, isSeekable: true, read: async (start, end) => bytes.subarray(start, end) };
    console.log(JSON.stringify(await reader.read(source)));
    reader.close();`;
    const options = { cwd: folder, env: { PATH: process.env['PATH'], DATA_DIR: folder } };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], options);
    const { facts, stills, poster, fault } = JSON.parse(stdout);
    expect(facts).toMatchObject({ container: 'webm', codecVideo: 'vp8', durationSecs: 1, width: 64 });
    expect([stills, poster, fault]).toEqual([[], null, missing]);
    const doctor = await run(process.execPath, ['bin/vitrine.js', 'doctor', '--json'], options);
    const findings = JSON.parse(doctor.stdout) as { subject: string; state: string; text: string; remedy: string }[];
    expect(findings.find(({ subject }) => subject === 'videos')).toMatchObject({
      state: 'note',
      text: missing,
      remedy: expect.stringContaining('analyzeVideos'),
    });
  },
);
