import type { KindRef } from '@agents/kube'
import { expect } from 'vitest'
import type { AgentsHarness } from './agents-harness.ts'

/** Expects that further reconciles do not write to the object. */
export async function expectSettled(
  { client, namespace, touch }: AgentsHarness,
  kind: KindRef,
  name: string,
): Promise<void> {
  const before = await client.get(kind, { namespace, name })
  for (let times = 0; times < 3; times += 1) {
    await touch(kind, name)
  }
  expect(await client.get(kind, { namespace, name })).toEqual(before)
}
