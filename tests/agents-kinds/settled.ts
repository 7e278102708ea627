import type { KindRef } from '@agents/kube'
import { expect } from 'vitest'
import type { AgentsBench } from './agents-bench.ts'

/** The object is not written to any more, whatever it is looked at for. */
export async function expectSettled(
  { client, namespace, touch }: AgentsBench,
  kind: KindRef,
  name: string,
): Promise<void> {
  const before = await client.get(kind, { namespace, name })
  for (let times = 0; times < 3; times += 1) {
    await touch(kind, name)
  }
  expect(await client.get(kind, { namespace, name })).toEqual(before)
}
