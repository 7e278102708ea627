import { setTimeout as delay } from 'node:timers/promises'
import type { KindRef, KubeClient } from '@agents/kube'
import { namespace } from '../../support/run-platform/run-platform.ts'
import type { ShippedControllers } from './shipped-controllers.ts'

/** CPU time of the controllers over a time without any change, in percent of a core. */
export async function idlePercent(
  controllers: ShippedControllers,
  seconds: number,
): Promise<number> {
  const { cpuMs: before } = await controllers.usage()
  await delay(seconds * 1000)
  return (((await controllers.usage()).cpuMs - before) / (seconds * 1000)) * 100
}

/** Creates objects by their number, several at a time. */
export async function createAll(
  count: number,
  create: (at: number) => Promise<unknown>,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at).values()
  const work = async (): Promise<void> => {
    for (const at of numbers) await create(at)
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

/** The versions of all objects of some kinds: the same text if none of them was written. */
export async function versionsOf(client: KubeClient, kinds: readonly KindRef[]): Promise<string> {
  const found: string[] = []
  for (const kind of kinds) {
    for await (const { metadata } of client.each(kind, { namespace, limit: 500 })) {
      found.push(`${metadata.uid} ${metadata.resourceVersion}`)
    }
  }
  return found.toSorted().join()
}
