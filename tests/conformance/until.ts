import type { Client } from './client.ts'

export const until200 = (client: Client, path: string): Promise<void> =>
  until(async () => (await client.get(path)).code === 200)

export async function until(isTrue: () => Promise<boolean>, patienceMs = 120_000): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('it did not become true in time')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
