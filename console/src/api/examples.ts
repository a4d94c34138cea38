import { ApiError, send } from './graphql.ts';

type Operation = Readonly<{
  num_total: number;
  num_good: number;
  num_bad: number;
  is_finished: boolean;
  errors: readonly Readonly<{ msg: string }>[];
}>;

const pauseMs = 400;

/** Stores the example photographs and waits until they are stored; their analysis follows. */
export async function importExamples(): Promise<void> {
  const records = await (await send('examples.json', {})).text();
  const headers = { 'Content-Type': 'application/json' };
  const accepted = await read(await send('../imgs?lang=en', { method: 'POST', headers, body: records }));
  const path = `../ops/${(accepted as unknown as { operation_id: number }).operation_id}`;
  for (;;) {
    const operation = await read(await send(path, {}));
    if (operation.num_good + operation.num_bad >= operation.num_total || operation.is_finished) {
      const [first] = operation.errors;
      if (operation.num_good === 0 && first !== undefined) throw new ApiError(200, first.msg, first);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function read(response: Response): Promise<Operation> {
  const body = (await response.json().catch(() => ({}))) as Operation & { detail?: string };
  if (!response.ok) throw new ApiError(response.status, body.detail ?? `Status ${response.status}`, body);
  return body;
}
