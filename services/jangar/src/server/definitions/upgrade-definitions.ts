import { type Clock, sleep } from '@agents/controller'
import type { CustomResourceDefinition, KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { DefinitionFile } from './definition-files.ts'
import { applyDefinition, type DefinitionPlan, find, planDefinition } from './plan-definition.ts'

interface UpgradePorts {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** Time limit for all definitions to be served. */
  readonly timeoutMs: number
}

/** Lists all reasons why the upgrade was refused. Nothing was changed. */
export class DefinitionsRefused extends Error {
  override name = 'DefinitionsRefused'
}

/**
 * Upgrades the cluster's definitions to those in the files and waits until they are served. All or nothing: refusals
 * are found before the first write. Never deletes definitions, and keeps newer ones.
 */
export async function upgradeDefinitions(
  files: readonly DefinitionFile[],
  ports: UpgradePorts,
): Promise<void> {
  const { client, log } = ports
  const plans: (readonly [DefinitionFile, DefinitionPlan])[] = []
  for (const file of files) plans.push([file, await planDefinition(client, file)])
  const refusals = plans.flatMap(([{ name }, plan]) =>
    plan.do === 'refuse' ? [`- ${name}: ${plan.because}`] : [],
  )
  if (refusals.length > 0) {
    throw new DefinitionsRefused(
      `the definitions were not upgraded, nothing was changed:\n${refusals.join('\n')}`,
    )
  }
  for (const [file, plan] of plans) {
    if (plan.do === 'keep') {
      log.warn('newer definition kept', {
        definition: file.name,
        unknownHere: plan.lost.slice(0, 10),
      })
    } else if (plan.do === 'apply') {
      await applyDefinition(client, file, plan)
      log.info(plan.isNew ? 'definition created' : 'definition up to date', {
        definition: file.name,
      })
    }
  }
  await untilEstablished(files, ports)
}

const pauseMs = 250

async function untilEstablished(
  files: readonly DefinitionFile[],
  { client, clock, timeoutMs }: UpgradePorts,
): Promise<void> {
  const deadline = clock.elapsed() + timeoutMs
  let waiting = files.map(({ name }) => name)
  while (waiting.length > 0) {
    const definitions = await Promise.all(waiting.map((name) => find(client, name)))
    const states = definitions.map((definition, index) => ({
      name: waiting[index] ?? '',
      ...servingOf(definition),
    }))
    const unserved = states.filter(({ isServed }) => !isServed)
    const isOver = clock.elapsed() >= deadline || unserved.some(({ isFinal }) => isFinal)
    if (unserved.length > 0 && isOver) {
      const lines = unserved.map(({ name, why }) => `- ${name}: ${why}`)
      throw new Error(`the API server does not serve these definitions:\n${lines.join('\n')}`)
    }
    waiting = unserved.map(({ name }) => name)
    if (waiting.length > 0) await sleep(clock, pauseMs)
  }
}

interface Serving {
  readonly isServed: boolean
  /** Waiting longer would not help. */
  readonly isFinal?: boolean
  readonly why?: string
}

function servingOf(definition: CustomResourceDefinition | undefined): Serving {
  if (definition === undefined) return { isServed: false, isFinal: true, why: 'it was deleted' }
  const of = (wanted: string) => definition.status?.conditions?.find(({ type }) => type === wanted)
  if (of('Established')?.status === 'True') return { isServed: true }
  const names = of('NamesAccepted')
  const isFinal = names?.status === 'False'
  return { isServed: false, isFinal, why: (isFinal && names.message) || 'it is not Established' }
}
