import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlreadyExists, type KubeClient } from '@agents/kube'
import type { World } from '../cli/world.ts'
import { applyObject } from '../cluster/apply-object.ts'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { parseManifests } from '../cluster/read-manifests.ts'
import { followRun } from '../run/follow-run.ts'
import type { RunOutcome } from '../run/run-outcome.ts'
import type { StateFolder } from './state-folder.ts'

/** Below charts/agents/examples: a scripted agent that needs neither key nor network, and work for it. */
const files = ['agentprovider-scripted.yaml', 'agent-scripted.yaml', 'agentrun-scripted.yaml']

export const sampleRun = 'first-run'

export function isSampleDue({ sampleShown }: StateFolder): boolean {
  return !existsSync(sampleShown)
}

/** Creates the sample unless it is there, and shows it to its end. */
export async function showSample(
  client: KubeClient,
  folder: StateFolder,
  world: World,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const examples = join(world.checkout, 'charts/agents/examples')
  const texts = await Promise.all(files.map((file) => readFile(join(examples, file), 'utf8')))
  const objects = texts.flatMap((text, index) => parseManifests(text, files[index] ?? ''))
  await Promise.all(
    objects.map((object) =>
      applyObject(client, object, { namespace: platformNamespace, signal }).catch(
        (error: unknown) => {
          if (!isAlreadyExists(error)) throw error
        },
      ),
    ),
  )
  const key = { namespace: platformNamespace, name: sampleRun }
  const outcome = await followRun(client, key, world, { signal })
  await writeFile(folder.sampleShown, '')
  return outcome
}
