import { until } from '../../support/testbed/until.ts'
import type { Client } from './client.ts'

export function until200(client: Client, path: string): Promise<unknown> {
  return until(async () => (await client.get(path)).code === 200)
}
