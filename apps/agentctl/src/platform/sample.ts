import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  kindRef,
} from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { applyObject } from '../cluster/apply-object.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { parseManifests } from '../cluster/read-manifests.ts'
import { followRun } from '../run/follow-run.ts'
import { AgentRunKind } from '../run/run-kind.ts'
import type { RunOutcome } from '../run/run-outcome.ts'
import type { StateFolder } from './state-folder.ts'

/** Below charts/agents/examples: a scripted agent that needs neither key nor network, and work for it. */
const files = ['agentprovider-scripted.yaml', 'agent-scripted.yaml', 'agentrun-scripted.yaml']

export const sampleRun = 'first-run'

const AgentKind = kindRef<KubeObject>(platformKind('Agent'))

export function isSampleDue({ sampleMarker }: StateFolder): boolean {
  return !existsSync(sampleMarker)
}

/** Whether the agent and the run of the sample exist: users, and retention, delete them. */
export async function sampleExists(client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const wanted = [
    [AgentKind, 'scripted'],
    [AgentRunKind, sampleRun],
  ] as const
  const found = wanted.map(([kind, name]) =>
    client.get<KubeObject>(kind, { namespace: platformNamespace, name }, { signal }).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    ),
  )
  return (await Promise.all(found)).every(Boolean)
}

/** Creates the sample unless it exists, and follows its run until it ends. */
export async function showSample(
  client: KubeClient,
  folder: StateFolder,
  context: CommandContext,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const examples = join(context.root, 'charts/agents/examples')
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
  const outcome = await followRun(client, key, context, { signal })
  await writeFile(folder.sampleMarker, '')
  return outcome
}
