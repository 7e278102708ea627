import type { AgentRun } from '@agents/jangar-api'
import type { Container, KubeObject } from '@agents/kube'
import { parseRunSpec } from '../../../../../runner/contract/run-spec.ts'
import { parseRunnerSpec } from '../../../../../runner/contract/runner-spec.ts'
import { resolveWork } from '../../resolution/resolve-work.ts'
import { runOf, thing, world } from '../../resolution/testing/world.ts'
import { type WorkObjects, type WorkOf, workObjects } from '../work-objects.ts'

type Loose = Record<string, unknown>

export const provider = (spec: Loose) =>
  thing('AgentProvider', 'codex', { binary: 'agent-runner', ...spec })

export function build(
  run: AgentRun,
  there: readonly KubeObject[] = [],
  {
    env = {},
    traceparent,
    ...of
  }: Partial<WorkOf> & { env?: Record<string, string>; traceparent?: string } = {},
) {
  const ports = world([...there, run], env)
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

export const envOf = (objects: WorkObjects) =>
  Object.fromEntries(
    (containerOf(objects).env ?? []).map(({ name, ...rest }) => [
      name,
      rest.value ?? rest.valueFrom,
    ]),
  )
export const documentsOf = ({ configMaps: [spec] }: WorkObjects) => {
  const run = parseRunSpec(spec?.data?.['run.json'] ?? '')
  const runner = parseRunnerSpec(spec?.data?.['agent-runner.json'] ?? '')
  if (!run.ok || !runner.ok) throw new Error('the runner would not understand it')
  return { run: run.value, runner: runner.value }
}

export const vcp = (spec: Loose) =>
  thing('VersionControlProvider', 'hub', {
    provider: 'github',
    auth: { token: { secretRef: { name: 't' } } },
    ...spec,
  })
export const onHub = (spec: Loose = {}) =>
  runOf({ vcsRef: { name: 'hub' }, parameters: { repository: 'o/r' }, ...spec })
