import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`The pages beside the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it('begin with a home page that signs in and leads to the console', async () => {
    const { page, faults, close } = await stage.open('/', { key: null });
    await page.getByText('Where is the key?').click();
    await expect.poll(() => page.getByText('admin-key').isVisible()).toBe(true);
    await page.getByLabel('API key').fill(stage.client.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('6 pictures').waitFor();
    await page.goto(`${stage.world.url}/`);
    await page.getByRole('link', { name: 'Open the console' }).waitFor();
    await expect.poll(() => page.getByText(`admin of ${stage.tenant}`).isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('say what is wrong with a key', async () => {
    const { page, close } = await stage.open('/', { key: null });
    await page.getByLabel('API key').fill('vt_wrong');
    await page.getByLabel('API key').press('Enter');
    await page.getByText('This key is not valid.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await close();
  });

  it('take the session: GraphiQL runs a query without a key', full, async () => {
    const { page, close } = await stage.open('/graphql');
    await page.getByText(`Signed in: admin of ${stage.tenant}, admin of ${stage.tenant}`).waitFor();
    await page.locator('.graphiql-tab-button', { hasText: 'Me' }).click();
    await page.locator('.graphiql-query-editor', { hasText: 'Me' }).waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window').getByText('imgs:write').first().waitFor();
    await expect.poll(() => page.inputValue('#api-key')).toBe('');
    await close();
  });

  it('take the session: the REST documentation sends requests without a key', full, async () => {
    const { page, close } = await stage.open('/docs');
    const status = await page.evaluate("fetch('/imgs?limit=1').then(({ status }) => status)");
    expect(status).toBe(200);
    await close();
  });
});
