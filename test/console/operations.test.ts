import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { holdSource } from '../operations/support.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';
import { full } from '../support/effort.ts';

describe.skipIf(browserPath === null)(`Operations in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  const titleOf = async (id: string) => (await stage.client.rest('GET', `/imgs/${id}`)).body.title;

  it('are listed, the newest first, and reached from the top bar', async () => {
    const { page, faults, close } = await stage.open();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor();
    await page.getByRole('link', { name: /Add 6 pictures.*Finished/s }).click();
    await page.getByRole('heading', { name: 'Add 6 pictures' }).waitFor();
    await page.getByRole('progressbar', { name: 'Stored' }).waitFor();
    await expect.poll(() => page.locator('li').getByText('Created', { exact: true }).count()).toBe(6);
    await page.getByRole('link', { name: 'Open nagasaki' }).click();
    await page.getByRole('dialog').waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBeNull();
    expect(faults).toEqual([]);
    await close();
  });

  it('are not called failed if all that they were to create existed already', async () => {
    const many = ['alps', 'nagasaki'].map((id) => ({ id, src_path: 'nagasaki-boats.jpg' }));
    const { operation_id: id } = await stage.client.write('POST', '/imgs?lang=en', many);
    const { page, close } = await stage.open(`/app/?page=operations&operation=${id}`);
    await page.getByRole('link', { name: /Add 2 pictures.*Nothing stored: all existed already$/s }).waitFor();
    await page.getByRole('heading', { name: 'Existed already' }).waitFor();
    await page.getByRole('link', { name: 'Show them' }).click();
    await expect.poll(() => page.locator('main [data-id]').count()).toBe(2);
    await stage.client.write('POST', '/imgs?lang=en', [...many, { id: 'without-a-source' }]);
    await page.goto(`${stage.world.url}/app/?page=operations`);
    await page.getByRole('link', { name: /Add 3 pictures.*Finished, 2 existed already, 1 failed$/s }).waitFor();
    await close();
  });

  it('say what failed and why, beside the picture that it is about', async () => {
    const { operation_id: id } = await stage.client.write('PATCH', '/imgs', [
      { id: 'nagasaki', title: 'A' },
      { id: 'nowhere', title: 'B' },
    ]);
    const { page, close } = await stage.open(`/app/?page=operations&operation=${id}`);
    await page.getByRole('heading', { name: 'Failures' }).waitFor();
    await page.getByText('nowhere', { exact: true }).waitFor();
    await page
      .getByText(/no image/i)
      .first()
      .waitFor();
    await expect.poll(() => page.locator('ins', { hasText: 'A' }).count()).toBe(1);
    await close();
  });

  it('say once why many failed, and beside each only what differs', async () => {
    const ids = ['gone-1', 'gone-2', 'gone-3'];
    const { operation_id: id } = await stage.client.write('PATCH', '/imgs', [
      ...ids.map((gone) => ({ id: gone, title: 'A' })),
      { id: 'alps', date: 'soon' },
      { id: 'nagasaki', date: 'late' },
    ]);
    const { page, close } = await stage.open(`/app/?page=operations&operation=${id}`);
    const details = page.getByRole('region', { name: `Operation ${id}` });
    await details.getByText('gone-3', { exact: true }).waitFor();
    expect(await details.getByText(/no image|not.found/i).count()).toBe(1);
    expect(await details.locator('li', { hasText: 'nagasaki' }).innerText()).toContain('late');
    const text = await details.innerText();
    expect(text).toMatch(/3 ×.*gone-1.*gone-2.*gone-3.*2 ×.*alps.*nagasaki/s);
    expect(text).not.toMatch(/not_found|invalid_field/);
    await close();
  });

  it('show the pictures of all changes that are listed', async () => {
    const many = await stage.world.client();
    const records = Array.from({ length: 60 }, (_, at) => ({ id: `p${at}`, src_path: 'nagasaki-boats.jpg' }));
    await many.write('POST', '/imgs?lang=en', records);
    const { page, close } = await stage.open('/app/?page=operations', { key: many.key });
    await page.getByRole('link', { name: /^Add 60 pictures/ }).click();
    const shown = page.locator('section li a');
    await expect.poll(() => shown.count()).toBe(50);
    await page.getByRole('button', { name: 'More (10)' }).click();
    await page.locator('section li').nth(59).waitFor();
    await expect.poll(() => shown.count()).toBe(60);
    await close();
  });

  it('say that their changes cannot be read, and read them again', full, async () => {
    const { page, faults, close } = await stage.open('/app/?page=operations');
    await page.route('**/graphql', (route) => {
      const isIt = route.request().postData()?.includes('ChangesOfOperation') === true;
      const body = JSON.stringify({ errors: [{ message: 'Broken' }] });
      return isIt ? route.fulfill({ status: 400, contentType: 'application/json', body }) : route.continue();
    });
    await page.getByRole('link', { name: /^Add 6 pictures/ }).click();
    await page.getByText('Broken').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('section li strong', { hasText: 'nagasaki' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
    await close();
  });

  it('are undone after their undo was shown, and the undo is an operation', full, async () => {
    const before = await titleOf('nagasaki');
    const { operation_id: id } = await stage.client.write('PATCH', '/imgs', [{ id: 'nagasaki', title: 'Wrong' }]);
    const { page, faults, close } = await stage.open(`/app/?page=operations&operation=${id}`);
    await page.locator('ins', { hasText: 'Wrong' }).waitFor();
    await page.getByRole('button', { name: 'Undo …' }).click();
    await page.getByText('1 record will be restored to its earlier state.').waitFor();
    expect(await titleOf('nagasaki')).toBe('Wrong');
    await page.getByRole('button', { name: 'Undo now' }).click();
    await page.locator('ins', { hasText: before }).waitFor();
    await page.getByRole('heading', { name: 'Undo changes to 1 picture', level: 2 }).waitFor();
    expect(await titleOf('nagasaki')).toBe(before);
    expect(faults).toEqual([]);
    await close();
  });

  it('say that nothing is left to undo once they were undone, and offer no second undo', async () => {
    const { operation_id: id } = await stage.client.write('PATCH', '/imgs', [
      { id: 'nagasaki', title: `Undone ${randomUUID()}` },
    ]);
    await stage.client.write('POST', `/ops/${id}/undo`);
    const { page, close } = await stage.open(`/app/?page=operations&operation=${id}`);
    await page.getByRole('button', { name: 'Undo …' }).click();
    await page.getByText('Nothing to undo: everything is already as it was before.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo now' }).count()).toBe(0);
    await close();
  });

  it('name what an undo leaves, as others have changed it since', async () => {
    const { operation_id: id } = await stage.client.write('PATCH', '/imgs', [{ id: 'nagasaki', title: 'First' }]);
    await stage.client.write('PATCH', '/imgs', [{ id: 'nagasaki', title: 'Second' }]);
    const { page, close } = await stage.open(`/app/?page=operations&operation=${id}`);
    await page.getByRole('button', { name: 'Undo …' }).click();
    await page.getByText('1 record was changed later').waitFor();
    expect(await page.getByRole('button', { name: 'Undo now' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await titleOf('nagasaki')).toBe('Second');
    await close();
  });

  it('are followed while they run, and aborted', async () => {
    const held = await holdSource();
    const own = randomUUID();
    const many = Array.from({ length: 400 }, (_, at) =>
      at === 300 ? { id: `held-${own}`, src: held.url } : { id: `copy-${own}-${at}`, src_path: 'nagasaki-boats.jpg' },
    );
    const { page, close } = await stage.open('/app/?page=operations');
    const { body } = await stage.client.rest('POST', '/imgs?lang=en', many);
    await page
      .getByRole('link', { name: /Add 400 pictures/ })
      .first()
      .click();
    await held.asked;
    await page
      .getByText(/200 of 400/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Abort' }).click();
    await held.close();
    await page.getByRole('status').filter({ hasText: 'Aborted' }).waitFor();
    const isFinished = async () => (await stage.client.rest('GET', `/ops/${body.operation_id}`)).body.is_finished;
    while (!(await isFinished())) await sleep(200);
    expect((await stage.client.rest('GET', `/ops/${body.operation_id}`)).body.is_aborted).toBe(true);
    await close();
  });

  it('offer a viewer nothing to undo or abort', async () => {
    // Another title at every try: who writes what is there changes nothing.
    const title = `Seen ${randomUUID()}`;
    const { operation_id: id } = await stage.client.write('PATCH', '/imgs', [{ id: 'nagasaki', title }]);
    const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
    const path = `/app/?page=operations&operation=${id}`;
    const { page, close } = await stage.open(path, { key: viewer.key });
    await page.locator('ins', { hasText: title }).waitFor();
    expect(await page.getByRole('button', { name: 'Undo …' }).count()).toBe(0);
    await close();
  });
});
