import { afterAll, describe, expect, it } from 'vitest';
import { browserPath, whyNoBrowser } from '../support/browser.ts';
import { createClient } from '../support/world.ts';
import { withStages } from './support.ts';
import type { Stage } from './support.ts';

const path = '/app/?page=admin';

describe.skipIf(browserPath === null)(`The administration in the console${whyNoBrowser}`, { tags: ['browser'] }, () => {
  let stage: Stage;
  withStages.beforeAll(async ({ openStage }) => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  const statusOf = async (key: string) => (await createClient(stage.world.url, key).rest('GET', '/imgs')).status;

  it('makes a key for a second person, shown once, who then sees nothing that the role does not allow', async () => {
    const { page, faults, close } = await stage.open();
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByLabel('Name').fill('Second person');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page
      .getByRole('region', { name: 'The key of Second person' })
      .getByLabel('API key')
      .inputValue();
    expect(await statusOf(secret)).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Second person').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(faults).toEqual([]);
    await close();

    const visit = await stage.open('/app/', { key: secret });
    await visit.page.getByRole('link', { name: 'Operations' }).waitFor();
    for (const name of ['Administration', 'Import']) {
      expect(await visit.page.getByRole('link', { name }).count(), name).toBe(0);
    }
    expect(visit.faults).toEqual([]);
    await visit.close();
  });

  it('narrows a key to a part of its role, for some days', async () => {
    const { page, close } = await stage.open(path);
    await page.getByLabel('Name').fill('Importer');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('editor');
    await page.getByLabel('Expires').selectOption('30');
    await page.getByText('Restrict permissions').click();
    await page.getByLabel('abort operations').uncheck();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(/editor, restricted · until/).waitFor();
    const { data } = await stage.client.graphql('{ apiKeys(limit: 1) { results { name scopes expiresAt } } }');
    const [made] = data.apiKeys.results;
    expect(made.scopes).not.toContain('ops:abort');
    expect(made.scopes).toContain('imgs:write');
    expect(Math.round((Date.parse(made.expiresAt) - Date.now()) / 86_400_000)).toBe(30);
    await close();
  });

  it('lists a key whose secret was lost on the way, and says so', async () => {
    const { page, close } = await stage.open(path);
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('mutation CreateApiKey') !== true) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByLabel('Name').fill('Unseen');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('alert').filter({ hasText: 'its secret was not received' }).waitFor();
    const listed = page.getByRole('group', { name: 'Actions on the key Unseen' });
    await expect.poll(() => listed.count()).toBe(1);
    await page.unroute('**/graphql');
    await close();
  });

  it('replaces and revokes a key when that is confirmed', async () => {
    const made = await stage.client.graphql('mutation { createApiKey(name: "Robot", role: viewer) { secret } }');
    const { secret } = made.data.createApiKey;
    const { page, close } = await stage.open(path);
    const acts = page.getByRole('group', { name: 'Actions on the key Robot' });
    await acts.getByRole('button', { name: 'Revoke …' }).click();
    await acts.getByRole('button', { name: 'Cancel' }).click();
    await acts.getByRole('button', { name: 'Replace …' }).click();
    await acts.getByLabel(/The old one stays valid/).selectOption('an hour');
    await acts.getByRole('button', { name: 'Create new key' }).click();
    const successor = await page.getByLabel('API key', { exact: true }).inputValue();
    expect([await statusOf(secret), await statusOf(successor)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await acts.first().getByRole('button', { name: 'Revoke …' }).click();
    await acts.first().getByRole('button', { name: 'Revoke now' }).click();
    await expect.poll(() => statusOf(successor), { timeout: 10_000 }).toBe(401);
    await page.getByLabel('Show expired and revoked keys').check();
    await page.getByText(/viewer · revoked/).waitFor();
    await close();
  });

  it('shows the secret of a new key until it was copied, even if another key is revoked', async () => {
    await stage.client.graphql('mutation { createApiKey(name: "Former", role: viewer) { secret } }');
    const { page, close } = await stage.open(path);
    await page.getByLabel('Name').fill('Fresh');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = page.getByRole('region', { name: 'The key of Fresh' }).getByLabel('API key');
    await secret.waitFor();
    const acts = page.getByRole('group', { name: 'Actions on the key Former' });
    await acts.getByRole('button', { name: 'Revoke …' }).click();
    await acts.getByRole('button', { name: 'Revoke now' }).click();
    await acts.waitFor({ state: 'detached' });
    expect(await statusOf(await secret.inputValue())).toBe(200);
    await close();
  });

  it('replaces a key once, however often that is pressed', async () => {
    await stage.client.graphql('mutation { createApiKey(name: "Twice", role: viewer) { secret } }');
    const { page, close } = await stage.open(path);
    const acts = page.getByRole('group', { name: 'Actions on the key Twice' });
    await acts.getByRole('button', { name: 'Replace …' }).click();
    await acts
      .getByRole('button', { name: 'Create new key' })
      .evaluate((button) => [1, 2].forEach(() => (button as unknown as { click(): void }).click()));
    await page.getByLabel('API key', { exact: true }).waitFor();
    const { data } = await stage.client.graphql('{ apiKeys(limit: 100) { results { name } } }');
    expect(data.apiKeys.results.filter(({ name }: { name: string }) => name === 'Twice').length).toBe(2);
    await close();
  });

  it('breaks the long name of a key on a phone', async () => {
    const name = 'x'.repeat(100);
    await stage.client.graphql(`mutation { createApiKey(name: "${name}", role: viewer) { secret } }`);
    const { page, close } = await stage.open(path);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByText(name).waitFor();
    const main = page.getByRole('main');
    expect(await main.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await close();
  });

  it('says why a key cannot be made', async () => {
    const { page, close } = await stage.open(path);
    await page.getByLabel('Name').fill('   ');
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/name/i);
    await close();
  });

  it('says that the role does not allow it to who follows a link to it', async () => {
    const viewer = await stage.world.client({ role: 'viewer', tenant: stage.tenant });
    const { page, close } = await stage.open(path, { key: viewer.key });
    await page.getByRole('heading', { name: 'Your role does not allow administration.' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Administration' }).getByRole('link').count()).toBe(0);
    await close();
  });

  it('names in Spanish what was done to what, where the service has codes for it', async () => {
    const viewer = await stage.world.client({ tenant: stage.tenant, role: 'viewer' });
    await viewer.rest('DELETE', '/imgs/none');
    await stage.client.rest('PUT', '/verdicts/alps/nagasaki', { verdict: 'different' });
    await stage.client.graphql(`mutation { createCollection(name: "Sala") { name }
      addToCollection(name: "Sala", ids: ["alps"]) { changed }
      exportImages(of: { q: "boats" }, format: csv) { __typename } }`);
    const refusals = '{ auditTrail(action: "access.forbidden") { count } }';
    await expect.poll(async () => (await stage.client.graphql(refusals)).data.auditTrail.count).toBeGreaterThan(0);
    const { page, close } = await stage.open(`${path}&tab=audit`);
    await page.evaluate(`localStorage.setItem('vitrine:console', '{"language":"es"}')`);
    await page.reload();
    const named = [/clave \d+ \(/, 'añadir imágenes', 'distinta: alps, nagasaki', 'modificar imágenes'];
    for (const subject of [...named, 'Sala: imágenes añadidas: 1', 'csv de las imágenes que encuentra boats'])
      await page.locator('.subject', { hasText: subject }).first().waitFor();
    expect(await page.locator('.subject', { hasText: 'images.create' }).count()).toBe(0);
    await close();
  });

  it('lists who did what, by action, and leads to the operation', async () => {
    const { page, faults, close } = await stage.open(path);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('audit');
    await page.getByLabel('Action').selectOption('operation.accepted');
    await page.locator('li').getByText('operation.accepted').first().waitFor();
    expect(await page.locator('li').getByText('key.created').count()).toBe(0);
    await page.locator('li a').first().click();
    await page.getByRole('heading', { name: 'Add 6 pictures' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
