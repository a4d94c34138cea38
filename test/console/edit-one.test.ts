import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { violationsOf, withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

const text = {
  title: 'Boats',
  caption: null,
  date: '1865',
  keywords: ['river', 'boats'],
  country: 'Japan',
  nsfw: null,
};
const names = Object.keys(text);

describe.skipIf(browserPath === null)(`Editing one record in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  beforeEach(() => stage.client.write('PATCH', '/imgs/nagasaki?lang=en', text));

  const read = async () =>
    (await stage.client.rest('GET', `/imgs/nagasaki?${names.map((name) => `fields=${name}`).join('&')}`)).body;
  const label = (page: Page, name: string) => page.getByRole('button', { name: `Edit ${name}`, exact: true });
  const input = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
  const valuesIn = (row: Locator) => row.evaluate((element) => element.nextElementSibling?.textContent ?? '');
  const valueOf = (page: Page, name: string) => valuesIn(page.locator('dt', { has: label(page, name) }));

  it('saves a text by Enter, leaves it by Escape, and takes it back by Ctrl+Z', async () => {
    const { page, faults, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Country').focus();
    await page.keyboard.press('Enter');
    await input(page, 'Country').fill('Nippon');
    await page.keyboard.press('Escape');
    await expect.poll(() => valueOf(page, 'Country')).toContain('Japan');
    await expect
      .poll(() => label(page, 'Country').evaluate((each) => each.ownerDocument.activeElement === each))
      .toBe(true);
    await page.keyboard.press('Enter');
    await input(page, 'Country').fill('Nippon');
    await page.keyboard.press('Enter');
    await page.getByText('Country was changed.').waitFor();
    await expect.poll(() => valueOf(page, 'Country')).toContain('Nippon');
    expect(await read()).toEqual({ ...text, country: 'Nippon' });
    await page.keyboard.press('Control+z');
    await expect.poll(read).toEqual(text);
    await expect.poll(() => valueOf(page, 'Country')).toContain('Japan');
    expect(faults).toEqual([]);
    await close();
  });

  it('saves a title by Enter, and a caption by Ctrl+Enter, as it may have several lines', async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Title').click();
    await input(page, 'Title').fill('Houses');
    await page.keyboard.press('Enter');
    await page.getByText('Title was changed.').waitFor();
    await page.getByRole('button', { name: /^Empty fields/ }).click();
    await label(page, 'Caption').click();
    await input(page, 'Caption').fill('One line');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and another');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Caption was changed.').waitFor();
    await expect.poll(read).toMatchObject({ title: 'Houses', caption: 'One line\nand another' });
    await stage.client.write('PATCH', '/imgs/nagasaki', { title: text.title, caption: text.caption });
    await close();
  });

  it('shows a new title in the heading and among the results', full, async () => {
    const { page, close } = await stage.open();
    await page.locator('[data-id="nagasaki"]').click();
    await label(page, 'Title').click();
    await input(page, 'Title').fill('Houses at a river');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Houses at a river' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('main').getByText('Houses at a river').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(read).toEqual(text);
    await close();
  });

  it('gives a record another source and a thumbnail, and says while it is typed what is no address', full, async () => {
    await stage.client.write('PATCH', '/imgs/nagasaki', { src_path: 'nagasaki-boats.jpg', url_img_thumbnail: null });
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await page.getByRole('button', { name: /^Empty fields/ }).click();
    await label(page, 'Source').click();
    await input(page, 'Source').fill('example.org/boats.jpg');
    await page.getByText('Not a URL.').waitFor();
    expect(await save(page).isDisabled()).toBe(true);
    await input(page, 'Source').fill('ftp://example.org/boats.jpg');
    await page.getByText('A URL begins with http:// or https://.').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await label(page, 'Thumbnail').click();
    await input(page, 'Thumbnail').fill('https://example.org/small.jpg');
    await page.keyboard.press('Enter');
    await page.getByText('Thumbnail was changed.').waitFor();
    await label(page, 'Source path').click();
    await input(page, 'Source path').fill('no-such-file.jpg');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'no such file' }).waitFor();
    await input(page, 'Source path').fill('airplane-from-above.jpg');
    await page.keyboard.press('Enter');
    await page.getByText('Source path was changed.').waitFor();
    const fields = '/imgs/nagasaki?fields=src_path&fields=url_img_thumbnail';
    expect((await stage.client.rest('GET', fields)).body).toEqual({
      src_path: 'airplane-from-above.jpg',
      url_img_thumbnail: 'https://example.org/small.jpg',
    });
    await close();
  });

  it('says while it is typed that something is no date or too long, and saves nothing of it', async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Date').click();
    await input(page, 'Date').fill('1865-02-30');
    await page.getByText('Not a date.').waitFor();
    expect(await save(page).isDisabled()).toBe(true);
    await input(page, 'Date').fill('1865-02');
    await expect.poll(() => save(page).isDisabled()).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Empty fields/ }).click();
    await label(page, 'Status').click();
    await input(page, 'Status').fill('x'.repeat(65));
    await page.getByText('At most 64 characters; you entered 65.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await read()).toEqual(text);
    await close();
  });

  it('has keywords as chips, which are typed, pasted, completed and removed', full, async () => {
    const { page, faults, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Keyword').click();
    await page.getByRole('button', { name: 'Remove river' }).click();
    await input(page, 'Keyword').pressSequentially('loan,');
    await page.getByRole('button', { name: 'Remove loan' }).waitFor();
    await page.keyboard.press('Backspace');
    await input(page, 'Keyword').pressSequentially('Riv');
    await expect
      .poll(() => page.locator('dialog datalist option').evaluateAll((all: any[]) => all.map(({ value }) => value)))
      .toEqual(['river']);
    await input(page, 'Keyword').fill('history; bridge');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove bridge' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(read).toEqual({ ...text, keywords: ['boats', 'history', 'bridge'] });
    expect(faults).toEqual([]);
    await close();
  });

  it('sets what has one of two values, clears it, and sets the language of the texts', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await page.getByRole('button', { name: /^Empty fields/ }).click();
    const nsfw = 'Not safe for work';
    for (const [chosen, value] of [
      ['no', false],
      ['no value', null],
    ] as const) {
      await label(page, nsfw).click();
      await input(page, nsfw).selectOption(chosen);
      await save(page).click();
      await expect.poll(read).toEqual({ ...text, nsfw: value });
      await save(page).waitFor({ state: 'detached' });
    }
    await label(page, 'Text language').click();
    await input(page, 'Text language').selectOption('French');
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    expect(await valueOf(page, 'Text language')).toContain('French');
    const { data } = await stage.client.graphql('{ image(id: "nagasaki") { lang } }');
    expect(data.image).toEqual({ lang: 'fr' });
    await close();
  });

  it('loses nothing that others write meanwhile: another field is kept, the same one is asked about', async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Country').click();
    await input(page, 'Country').fill('Nippon');
    await stage.client.write('PATCH', '/imgs/nagasaki', { date: '1866' });
    await save(page).click();
    await expect.poll(read).toEqual({ ...text, country: 'Nippon', date: '1866' });

    await label(page, 'Title').click();
    await input(page, 'Title').fill('Mine');
    await stage.client.write('PATCH', '/imgs/nagasaki', { title: 'Theirs' });
    await save(page).click();
    await page.getByText('Someone else changed this field').waitFor();
    await page.locator('blockquote', { hasText: 'Theirs' }).waitFor();
    expect((await read()).title).toBe('Theirs');
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await expect.poll(async () => (await read()).title).toBe('Mine');

    await label(page, 'Title').click();
    await input(page, 'Title').fill('Mine again');
    await stage.client.write('PATCH', '/imgs/nagasaki', { title: 'Theirs again' });
    await save(page).click();
    await page.getByRole('button', { name: 'Use theirs' }).click();
    await page.getByRole('heading', { name: 'Theirs again' }).first().waitFor();
    expect((await read()).title).toBe('Theirs again');
    await close();
  });

  it('shows a new value among the results that the search no longer finds', async () => {
    const { page, close } = await stage.open('/app/?q=country:Japan');
    await page.locator('[data-id="nagasaki"]').click();
    await label(page, 'Country').click();
    await input(page, 'Country').fill('Nippon');
    await page.keyboard.press('Enter');
    await page.getByText('Country was changed.').waitFor();
    await label(page, 'Title').click();
    await input(page, 'Title').fill('Junks');
    await save(page).click();
    await page.getByText('Title was changed.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('main [data-id="nagasaki"]').textContent()).toContain('Junks');
    await close();
  });

  it('shows what an undo has put back among the results, though another picture is open', async () => {
    const { page, close } = await stage.open('/app/?sort=image_id&order=asc');
    await page.locator('[data-id="nagasaki"]').click();
    await label(page, 'Title').click();
    await input(page, 'Title').fill('Junks');
    await save(page).click();
    await page.getByText('Title was changed.').waitFor();
    await expect.poll(() => page.locator('main [data-id="nagasaki"]').textContent()).toContain('Junks');
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe('lily-leek');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.locator('main [data-id="nagasaki"]').textContent()).toContain('Boats');
    await close();
  });

  it('says what an undo leaves as others have changed it since', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Country').click();
    await input(page, 'Country').fill('Nippon');
    await page.keyboard.press('Enter');
    await page.getByText('Country was changed.').waitFor();
    await stage.client.write('PATCH', '/imgs/nagasaki', { country: 'Theirs' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 record was changed later and keeps that change.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await expect.poll(() => valueOf(page, 'Country')).toContain('Theirs');
    await close();
  });

  it('names in words what a lock has changed, in the history', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Country').click();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('Country was locked.').waitFor();
    await page.locator('summary', { hasText: 'History' }).click();
    const names = page.locator('aside ol dt');
    await expect.poll(() => names.first().textContent()).toBe('Locked fields');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await close();
  });

  it('keeps what is typed while another picture is open, and fits a phone', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Title').click();
    await input(page, 'Title').fill('Not yet done');
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => input(page, 'Title').count()).toBe(0);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => input(page, 'Title').inputValue()).toBe('Not yet done');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const box = await save(page).boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 999)).toBeLessThan(390);
    await close();
  });

  it('asks before a reload would lose what is typed', full, async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Title').click();
    await input(page, 'Title').fill('Half a title');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await close();
  });

  it('waits for a service that is unreachable, says so, and saves once it is back', async () => {
    const { page, close } = await stage.open('/app/?open=nagasaki');
    await label(page, 'Country').click();
    await input(page, 'Country').fill('Nippon');
    await page.context().setOffline(true);
    await save(page).click();
    await page.getByText('The service is not responding.').waitFor();
    expect(await input(page, 'Country').inputValue()).toBe('Nippon');
    await page.context().setOffline(false);
    await page.getByText('Country was changed.').waitFor();
    expect(await read()).toEqual({ ...text, country: 'Nippon' });
    await close();
  });

  it('offers a viewer nothing to edit', async () => {
    const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
    const { page, close } = await stage.open('/app/?open=nagasaki', { key: viewer.key });
    await page.getByRole('dialog').getByText('Japan').waitFor();
    expect(await page.getByRole('button', { name: /^(Edit|Empty fields)/ }).count()).toBe(0);
    await close();
  });
});
