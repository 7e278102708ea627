import type { AgentRun } from '@agents/jangar-api'
import type { Container, KubeObject } from '@agents/kube'
import { parseRunSpec } from '../../../../../run-contract/run-spec.ts'
import { parseRunnerSpec } from '../../../../../run-contract/runner-spec.ts'
import { resolveWork } from '../../resolve/resolve-work.ts'
import { objectOf, portsWith, runOf } from '../../resolve/testing/resolution-fixture.ts'
import { type WorkObjects, type WorkOf, workObjects } from '../work-objects.ts'

type Loose = Record<string, unknown>

export function provider(spec: Loose) {
  return objectOf('AgentProvider', 'codex', { binary: 'agent-runner', ...spec })
}

export function build(
  run: AgentRun,
  there: readonly KubeObject[] = [],
  {
    env = {},
    traceparent,
    ...of
  }: Partial<WorkOf> & { env?: Record<string, string>; traceparent?: string } = {},
) {
  const ports = portsWith([...there, run], env)
  const resolution = resolveWork(run, undefined, ports)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  return workObjects(
    resolution.work,
    { run, attempt: 1, ...of },
    ports.config,
    traceparent === undefined ? undefined : (_run, job) => `${traceparent} ${job}`,
  )
}

export function built(...given: Parameters<typeof build>): WorkObjects {
  const objects = build(...given)
  if (objects.kind !== 'objects') throw new Error(objects.message)
  return objects
}

export function containerOf({ job }: WorkObjects): Container {
  const [container] = job.spec.template.spec.containers
  if (container === undefined) throw new Error('there is no container')
  return container
}

export function envOf(objects: WorkObjects) {
  return Object.fromEntries(
    (containerOf(objects).env ?? []).map(({ name, ...rest }) => [
      name,
      rest.value ?? rest.valueFrom,
    ]),
  )
}

/** The files of a volume of the pod, wherever their texts are. */
export function filesOf({ job, configMaps }: WorkObjects, volume: string): Record<string, string> {
  const { metadata, spec } = job.spec.template
  const found = (spec.volumes ?? []).find(({ name }) => name === volume)
  const { configMap, downwardAPI } = (found ?? {}) as VolumeSource
  if (configMap !== undefined) {
    return configMaps.find((one) => one.metadata.name === configMap.name)?.data ?? {}
  }
  const items = downwardAPI?.items ?? []
  return Object.fromEntries(
    items.map(({ path, fieldRef }) => {
      const [, key = ''] = /^metadata\.annotations\['(.*)'\]$/.exec(fieldRef.fieldPath) ?? []
      return [path, metadata?.annotations?.[key] ?? '']
    }),
  )
}

interface VolumeSource {
  readonly configMap?: { readonly name: string }
  readonly downwardAPI?: {
    readonly items: readonly { readonly path: string; readonly fieldRef: { fieldPath: string } }[]
  }
}

export function documentsOf(objects: WorkObjects) {
  const files = filesOf(objects, 'agents-spec')
  const run = parseRunSpec(files['run.json'] ?? '')
  const runner = parseRunnerSpec(files['agent-runner.json'] ?? '')
  if (!run.ok || !runner.ok) throw new Error('the runner would not understand it')
  return { run: run.value, runner: runner.value }
}

export function vcp(spec: Loose) {
  return objectOf('VersionControlProvider', 'hub', {
    provider: 'github',
    auth: { token: { secretRef: { name: 't' } } },
    ...spec,
  })
}

export function onHub(spec: Loose = {}) {
  return runOf({ vcsRef: { name: 'hub' }, parameters: { repository: 'o/r' }, ...spec })
}
