import {
  cancelled,
  failed,
  type GateOf,
  pass,
  type ResourceCache,
  type RunGateVerdict,
  wait,
} from '@agents/controller'
import type { OrchestrationRun, orchestrationRunConditions } from '@agents/jangar-api'
import { controllerOf, formatKey, isControlledBy } from '@agents/kube'
import type { OrchestrationCaches } from '../../../caches/orchestration-caches.ts'
import { conditionOf, isTrue } from '../../../kubernetes/condition-of.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import { runParameters } from '../../definition/parameters.ts'
import { readGraph } from '../../definition/read-graph.ts'
import { freeze } from '../frozen-graph.ts'
import type { OrchestrationRunDetail, OrchestrationRunScope } from '../run-detail.ts'

type Accepted = GateOf<
  typeof orchestrationRunConditions,
  'Accepted',
  OrchestrationRun,
  OrchestrationRunDetail,
  OrchestrationRunScope
>
type Verdict = Exclude<ReturnType<Accepted['check']>, Promise<unknown>>

const mostLevels = 10

/** Whether the Orchestration can be run as requested. Passing freezes it: later changes do not reach the run. */
export function accepted(caches: OrchestrationCaches): Accepted {
  return {
    condition: 'Accepted',
    check: (run) => {
      if (run.status?.orchestration?.spec !== undefined) {
        const { message } = conditionOf(run, 'Accepted') ?? {}
        return pass('Accepted', message ?? 'the Orchestration exists and is ready')
      }
      if (run.spec?.cancel) return cancelled('cancelled by spec.cancel before it started')
      return checkReferences(run, caches)
    },
  }
}

function checkReferences(run: OrchestrationRun, caches: OrchestrationCaches): Verdict {
  const { namespace } = run.metadata
  const name = run.spec?.orchestrationRef?.name
  if (name === undefined || name === '') {
    return failed('MissingOrchestrationRef', 'spec.orchestrationRef.name is missing')
  }
  const found = caches.orchestrations.get(formatKey({ namespace, name }))
  if (found === undefined) {
    return waitFor('DependencyMissing', `Orchestration ${name} does not exist`)
  }
  const isObserved = found.status?.observedGeneration === found.metadata.generation
  if (!isObserved || !isTrue(found, 'Ready')) {
    const why = isObserved ? conditionOf(found, 'Ready')?.message : 'its checks are not complete'
    return waitFor('DependencyNotReady', `Orchestration ${name} is not ready: ${why}`)
  }
  const nesting = nestingProblem(run, name, caches.orchestrationRuns)
  if (nesting !== undefined) return nesting
  const read = readGraph(found.spec)
  if (!read.ok) {
    const [problem] = read.problems
    const message = `Orchestration ${name} is not ready: ${problem?.path}: ${problem?.message}`
    return waitFor('DependencyNotReady', message)
  }
  const parameters = runParameters(read.graph, run.spec.parameters ?? {})
  if (!parameters.ok) return failed('InvalidParameters', parameters.message)
  const resume = resumeProblem(run, caches.orchestrationRuns)
  if (resume !== undefined) return resume
  const message = `Orchestration ${name} of generation ${found.metadata.generation} is run`
  return pass('Accepted', message, { detail: { orchestration: freeze(found) } })
}

/** A run that another one started must not run what that one is a part of. */
function nestingProblem(
  run: OrchestrationRun,
  name: string,
  runs: ResourceCache<OrchestrationRun>,
):
  | RunGateVerdict<'CircularOrchestration' | 'OrchestrationTooDeep', OrchestrationRunDetail>
  | undefined {
  const { namespace } = run.metadata
  const names = [name]
  for (let level = 1, at: OrchestrationRun | undefined = run; at !== undefined; level += 1) {
    if (level > mostLevels) {
      const message = `Orchestrations are nested more than ${mostLevels} levels deep: ${names.join(' ← ')}`
      return failed('OrchestrationTooDeep', message)
    }
    const owner = controllerOf(at)
    const above: OrchestrationRun | undefined =
      owner && runs.get(formatKey({ namespace, name: owner.name }))
    at = above && isControlledBy(at, above) ? above : undefined
    const outer = at?.spec.orchestrationRef.name
    if (outer === undefined) continue
    names.push(outer)
    if (outer === name) {
      return failed(
        'CircularOrchestration',
        `Orchestration ${name} runs itself: ${names.join(' ← ')}`,
      )
    }
  }
  return undefined
}

function resumeProblem(
  { metadata, spec }: OrchestrationRun,
  runs: ResourceCache<OrchestrationRun>,
): Verdict | undefined {
  const { resumeFrom } = spec
  if (resumeFrom === undefined) return undefined
  const { name, steps = [] } = resumeFrom
  const earlier = runs.get(formatKey({ namespace: metadata.namespace, name }))
  if (earlier === undefined) {
    return wait('ResumeSourceMissing', `OrchestrationRun ${name} does not exist`, recheckMs)
  }
  if (!isTrue(earlier, 'Finished')) {
    return wait('ResumeSourceUnfinished', `OrchestrationRun ${name} has not finished`, recheckMs)
  }
  const { name: other } = earlier.spec.orchestrationRef
  if (other !== spec.orchestrationRef.name) {
    return failed('InvalidResume', `OrchestrationRun ${name} is one of Orchestration ${other}`)
  }
  const known = new Set(earlier.status?.stepStatuses?.map((step) => step.name))
  const unknown = steps.find((step) => !known.has(step))
  if (unknown === undefined) return undefined
  return failed('InvalidResume', `OrchestrationRun ${name} has no step ${unknown}`)
}

const recheckMs = 5000
