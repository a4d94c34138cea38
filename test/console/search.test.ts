import { afterAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`Searching in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  const box = (page: Page) => page.getByRole('textbox', { name: 'Search formula' });
  const tiles = (page: Page) => page.locator('main [data-id]');

  /** Marks the first completion; a key that comes before the editor takes it for the list closes the list. */
  async function chooseFirst(page: Page) {
    const list = page.locator('.cm-tooltip-autocomplete');
    const marked = () => list.locator('li[aria-selected]').count();
    await expect
      .poll(async () => {
        if ((await marked()) === 0)
          await page.keyboard.press((await list.count()) === 0 ? 'Control+Space' : 'ArrowDown');
        return marked();
      })
      .toBe(1);
  }

  /** Writes into the box as soon as its editor has come. */
  async function write(page: Page, text: string) {
    await page.locator('.cm-content').waitFor();
    await box(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
  }

  /** Searches in any language of the console. */
  async function submit(page: Page, text: string) {
    await page.locator('.cm-content').click();
    await page.keyboard.type(text);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await expect.poll(() => tiles(page).count()).toBe(1);
  }

  async function idsShown(page: Page, count: number): Promise<string[]> {
    await expect.poll(() => tiles(page).count(), { timeout: 30_000 }).toBe(count);
    return tiles(page).evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['id'] ?? ''));
  }

  it('takes what is typed before its editor has come, and goes on there', async () => {
    const { page, close } = await stage.open();
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/editor-*.js', async (route) => (await isReleased, route.continue()));
    await page.reload();
    await tiles(page).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('country:');
    release();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.type('Japan');
    await expect.poll(() => box(page).textContent()).toBe('country:Japan');
    await page.unroute('**/editor-*.js');
    await close();
  });

  it('shows all pictures and how many they are', async () => {
    const { page, faults, close } = await stage.open();
    await page.getByText('6 pictures').waitFor();
    expect((await idsShown(page, 6)).toSorted()).toContain('nagasaki');
    await expect.poll(() => page.locator('main .preview.loaded').count(), { timeout: 30_000 }).toBe(6);
    await expect.poll(() => page.locator('main img.blurred').count()).toBe(6);
    expect(faults).toEqual([]);
    await close();
  });

  it('reads on while one scrolls, to the last of many', async () => {
    const many = await stage.world.client();
    const records = Array.from({ length: 150 }, (_, n) => ({ id: `n${n}`, src_path: 'dust-bowl-home.jpg' }));
    await many.write('POST', '/imgs?lang=en', records);
    const { page, close } = await stage.open('/app/', { key: many.key });
    await tiles(page).first().waitFor();
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          await page.evaluate('document.querySelector("main").scrollBy(0, 500)');
          const ids = await tiles(page).evaluateAll((all) =>
            all.map((each) => (each as HTMLElement).dataset['id'] ?? ''),
          );
          for (const id of ids) seen.add(id);
          return seen.size;
        },
        { timeout: 60_000 },
      )
      .toBe(150);
    await page.getByText('End of the results').waitFor();
    await close();
  });

  it('finds by a formula, explains it in words, and keeps it in the address', async () => {
    const { page, faults, close } = await stage.open();
    await write(page, 'country:Japan boats');
    await page.getByText('Images that have “Japan” as country').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    expect(await idsShown(page, 1)).toEqual(['nagasaki']);
    expect(new URL(page.url()).searchParams.get('q')).toBe('country:Japan boats');
    await page.reload();
    expect(await idsShown(page, 1)).toEqual(['nagasaki']);
    await page.goBack();
    await idsShown(page, 6);
    expect(faults).toEqual([]);
    await close();
  });

  it('completes fields and the values that the catalog has', async () => {
    const { page, close } = await stage.open();
    await write(page, 'coun');
    await page.locator('.cm-completionLabel', { hasText: 'country:' }).first().waitFor();
    await chooseFirst(page);
    await page.keyboard.press('Enter');
    await page.locator('.cm-completionLabel', { hasText: 'Japan' }).waitFor();
    expect(await box(page).textContent()).toBe('country:');
    await close();
  });

  it('closes what it proposes when the formula is sent', async () => {
    const { page, close } = await stage.open();
    await write(page, 'country:Jap');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.cm-tooltip-autocomplete').count()).toBe(0);
    await page.waitForTimeout(500);
    expect(await page.locator('.cm-tooltip-autocomplete').count()).toBe(0);
    await close();
  });

  it('colors fields and values, and underlines a mistake with a hint', async () => {
    const { page, close } = await stage.open();
    await write(page, 'boats contry:Japan');
    await page.getByText('Did you mean country?').waitFor();
    expect(await page.getByText("Unknown field 'contry'").allInnerTexts()).toEqual(["Unknown field 'contry'"]);
    await expect.poll(() => page.locator('.mark-field').textContent()).toBe('contry');
    await expect.poll(() => page.locator('.cm-lintRange-error').allTextContents()).toEqual(['contry']);
    await close();
  });

  it('suggests what finds something where nothing is found', async () => {
    const { page, close } = await stage.open('/app/?q=author:lange');
    await page.getByText('No results').waitFor();
    await page.getByRole('button', { name: 'author:"Dorothea Lange"' }).click();
    expect(await idsShown(page, 1)).toEqual(['dust-bowl']);
    await close();
  });

  it('saves a search under a name, and lists those of before', async () => {
    const { page, close } = await stage.open('/app/?q=country:France');
    await page.getByRole('button', { name: 'Recent, Saved' }).click();
    await page.getByLabel('Name of the saved search').fill('French');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^French/ }).waitFor();
    // Nothing else has taken the key.
    expect(await page.getByRole('button', { name: 'Search by picture', expanded: true }).count()).toBe(0);
    await page.goto(`${stage.world.url}/app/?q=saved:French`);
    expect(await idsShown(page, 1)).toEqual(['alps']);
    await close();
  });

  it('says that saved searches cannot be read', async () => {
    const { page, close } = await stage.open();
    await page.route('**/graphql', (route) => {
      const isIt = route.request().postData()?.includes('query SavedFormulas') === true;
      const body = JSON.stringify({ errors: [{ message: 'Broken' }] });
      return isIt ? route.fulfill({ status: 400, contentType: 'application/json', body }) : route.continue();
    });
    await page.getByRole('button', { name: 'Recent, Saved' }).click();
    await page.getByRole('alert').filter({ hasText: 'Broken' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Recent' }).count()).toBe(1);
    await page.unroute('**/graphql');
    await close();
  });

  it('keeps the searches and choices of two tabs', full, async () => {
    const { page, close } = await stage.open();
    await page.getByText('6 pictures').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${stage.world.url}/app/`);
    await submit(other, 'nagasaki');
    await other.getByRole('button', { name: 'Account and settings' }).click();
    await other.getByLabel('Language').selectOption('es');
    await other.getByText('1 imagen', { exact: true }).waitFor();
    await submit(page, 'alps');
    await page.reload();
    await page.getByText('1 imagen', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Recientes/ }).click();
    const isRecent = (text: string) => page.getByRole('button', { name: text, exact: true }).count();
    await expect.poll(() => Promise.all([isRecent('nagasaki'), isRecent('alps')])).toEqual([1, 1]);
    await other.close();
    await close();
  });

  it('says what cannot be read, and that the service does not answer', async () => {
    const { page, close } = await stage.open('/app/?q=width:');
    const clear = page.getByRole('main').getByRole('button', { name: 'Clear the search' });
    await clear.waitFor();
    await page.context().setOffline(true);
    await clear.click();
    await page.getByText('The service is not responding').waitFor();
    await expect.poll(() => page.getByText('Check that it is running').isVisible()).toBe(true);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('6 pictures').waitFor();
    await close();
  });

  it('shows no wrong number of results when they could not be counted, and counts them again', full, async () => {
    const { page, close } = await stage.open('/app/?page=collections');
    let refused = 0;
    await page.route('**/graphql', (route) => {
      const isCount = route.request().postData()?.includes('query CountImages') === true;
      return isCount && (refused += 1) <= 2 ? route.fulfill({ status: 503, body: '{}' }) : route.continue();
    });
    await page.getByRole('link', { name: 'Pictures' }).click();
    await page.locator('main [data-id]').first().waitFor();
    expect(await page.getByText('0 pictures').count()).toBe(0);
    await page.getByText('6 pictures').waitFor();
    await page.unroute('**/graphql');
    await close();
  });

  it('says that a page cannot be loaded while the service is away, and that it was updated', full, async () => {
    const { page, close } = await stage.open();
    await page.getByText('6 pictures').waitFor();
    const gone = /\/assets\/Operations-.*\.js/;
    await page.route(gone, (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByText('Vitrine was probably updated').waitFor();
    await page.unroute(gone);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByText('The service is not responding.').first().waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => page.getByRole('heading', { name: 'Collections' }).count()).toBe(1);
    await close();
  });

  it('sorts, changes sizes, and lists with chosen columns', async () => {
    const { page, close } = await stage.open();
    await page.getByLabel('Sort by').selectOption({ label: 'Date' });
    await page.getByRole('button', { name: 'Descending' }).click();
    await expect.poll(async () => (await idsShown(page, 6))[5]).toBe('dust-bowl');
    const before = (await tiles(page).first().boundingBox())?.height ?? 0;
    await page.getByRole('button', { name: 'Small' }).click();
    await expect.poll(async () => (await tiles(page).first().boundingBox())?.height ?? 0).toBeLessThan(before);
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Medium' }).check();
    await page.locator('main').getByText('gelatin silver print').first().waitFor();
    expect(new URL(page.url()).search).toBe('?sort=date&order=asc&view=list&size=s');
    await close();
  });

  it.each([
    ['', 'Newest first', 'Oldest first'],
    ['country:Japan', 'Newest first', 'Oldest first'],
    ['country:Japan OR boats', 'Best matches first', 'Best matches last'],
    ['-boats', 'Newest first', 'Oldest first'],
  ])('names the order of the results of "%s"', async (q, first, last) => {
    const { page, close } = await stage.open(`/app/?q=${encodeURIComponent(q)}`);
    const order = () => page.getByLabel('Sort by').locator('option:checked').textContent();
    await expect.poll(order).toBe(first);
    await page.getByRole('button', { name: 'Descending' }).click();
    await expect.poll(order).toBe(last);
    await close();
  });

  it('reads the fields of the catalog until the service answers', async () => {
    const { page, close } = await stage.open();
    let asked = 0;
    await page.route('**/graphql', (route) => {
      const isIt = route.request().postData()?.includes('query CatalogFields') === true;
      return isIt && (asked += 1) === 1 ? route.abort() : route.continue();
    });
    await page.reload();
    await expect.poll(() => page.getByLabel('Sort by').locator('option').count()).toBeGreaterThan(1);
    expect(asked).toBe(2);
    await page.unroute('**/graphql');
    await close();
  });

  it('names its box in another language as soon as that is chosen, and keeps what was typed', async () => {
    const { page, close } = await stage.open();
    await page.locator('.cm-content').click();
    await page.keyboard.type('bo');
    await page.getByRole('button', { name: 'Account and settings' }).click();
    await page.getByLabel('Language').selectOption('es');
    await expect.poll(() => page.getByRole('textbox', { name: 'Fórmula de búsqueda' }).textContent()).toBe('bo');
    await close();
  });

  it('is walked through by keys alone', async () => {
    const { page, close } = await stage.open();
    await idsShown(page, 6);
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('NOT country:Japan');
    await page.locator('.explanation').getByText('Japan').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const ids = await idsShown(page, 5);
    await tiles(page).first().focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.id')).toBe(ids[1]);
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.dataset.id')).not.toBe(ids[1]);
    await close();
  });
});
