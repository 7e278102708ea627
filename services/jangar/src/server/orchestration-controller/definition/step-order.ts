import type { Problem } from '../expressions/problem.ts'
import type { GraphStep } from './graph.ts'

type StepOrder =
  | {
      readonly ok: true
      /** The steps that have ended before a step starts, by its name. */
      readonly upstream: ReadonlyMap<string, ReadonlySet<string>>
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Checks the dependencies of steps with unique names. */
export function stepOrder(steps: readonly GraphStep[]): StepOrder {
  const byName = new Map(steps.map((step) => [step.name, step]))
  const wrong = steps.flatMap((step, index) => {
    const problem = dependencyProblem(step, index, byName)
    return problem ? [problem] : []
  })
  if (wrong.length > 0) return { ok: false, problems: wrong }
  const cycle = findCycle(steps, byName)
  if (cycle !== undefined) {
    const index = steps.findIndex(({ name }) => name === cycle[0])
    const message = `${cycle.join(' → ')}: each of these steps waits for the next one`
    const path = `spec.steps[${index}].dependsOn`
    return { ok: false, problems: [{ reason: 'DependencyCycle', path, message }] }
  }
  return { ok: true, upstream: upstreamOf(steps, byName) }
}

function dependencyProblem(
  step: GraphStep,
  index: number,
  byName: ReadonlyMap<string, GraphStep>,
): Problem | undefined {
  for (const name of step.dependsOn) {
    const at = step.inputs.dependsOn?.indexOf(name) ?? 0
    const path = `spec.steps[${index}].dependsOn[${at}]`
    const dependency = byName.get(name)
    if (name === step.name) {
      return { reason: 'InvalidDependency', path, message: `${name} depends on itself` }
    }
    if (dependency === undefined) {
      return { reason: 'MissingDependency', path, message: `${name} is not the name of a step` }
    }
    if (dependency.finally === step.finally) continue
    const message = step.finally
      ? `${name} has no finally, and ${step.name} runs after all such steps anyway; remove it`
      : `${name} has finally and runs after ${step.name}`
    return { reason: 'InvalidDependency', path, message }
  }
  return undefined
}

/** The names of a cycle, the first one also last. Without recursion: a graph can be one long chain. */
function findCycle(
  steps: readonly GraphStep[],
  byName: ReadonlyMap<string, GraphStep>,
): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of steps) {
    const path: { readonly step: GraphStep; next: number }[] = [{ step: start, next: 0 }]
    const onPath = new Set([start.name])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const name = done.has(top.step.name) ? undefined : top.step.dependsOn[top.next++]
      if (name === undefined) {
        done.add(top.step.name)
        onPath.delete(top.step.name)
        path.pop()
      } else if (onPath.has(name)) {
        const names = path.map(({ step }) => step.name)
        return [...names.slice(names.indexOf(name)), name]
      } else {
        const step = byName.get(name)
        if (step === undefined) continue
        onPath.add(name)
        path.push({ step, next: 0 })
      }
    }
  }
  return undefined
}

function upstreamOf(
  steps: readonly GraphStep[],
  byName: ReadonlyMap<string, GraphStep>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const ordinary = steps.filter((step) => !step.finally).map(({ name }) => name)
  const upstream = new Map<string, ReadonlySet<string>>()
  const remaining = [...steps]
  while (remaining.length > 0) {
    const step = remaining.pop() as GraphStep
    if (upstream.has(step.name)) continue
    const unknown = step.dependsOn.filter((name) => !upstream.has(name))
    if (unknown.length > 0) {
      remaining.push(step, ...unknown.flatMap((name) => byName.get(name) ?? []))
      continue
    }
    const names = new Set(step.finally ? ordinary : [])
    for (const name of step.dependsOn) {
      names.add(name)
      for (const earlier of upstream.get(name) ?? []) names.add(earlier)
    }
    upstream.set(step.name, names)
  }
  return upstream
}
