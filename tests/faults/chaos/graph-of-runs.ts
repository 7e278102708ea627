import { join } from 'node:path'

/** A step whose program appends a line to a file, and whose first `fails` attempts fail. */
export interface PlannedStep {
  readonly name: string
  readonly dependsOn: readonly string[]
  readonly fails: number
  readonly retries: number
  readonly isLast: boolean
}

export interface ExpectedStep {
  readonly phase: 'Succeeded' | 'Failed' | 'Skipped'
  /** How often its program starts. */
  readonly begun: number
}

/** Number of graphs that differ. */
export const shapes = 8

/** From 5 to 19 steps: chains, forks and joins, failures and retries, and one step at the very end. */
function stepsOf(shape: number): PlannedStep[] {
  const steps = Array.from({ length: 4 + shape * 2 }, (_, at): PlannedStep => {
    const before = [at - 1, at - 3].filter((one) => one >= 0 && (one + shape) % 3 !== 0)
    const fails = (at * 7 + shape) % 5 === 4 ? 1 : 0
    const retries = (at + shape) % 2
    return {
      name: `s${at}`,
      dependsOn: before.map((one) => `s${one}`),
      fails,
      retries,
      isLast: false,
    }
  })
  return [...steps, { name: 'last', dependsOn: [], fails: 0, retries: 0, isLast: true }]
}

export function orchestrationSpec(shape: number, folder: string): object {
  return {
    policies: { failFast: false },
    steps: stepsOf(shape).map(({ name, dependsOn, fails, retries, isLast }) => {
      const file = join(folder, `{{ run.name }}.${name}`)
      const script = `echo begun >>${file}; test $(wc -l <${file}) -gt ${fails}`
      return {
        ...{ name, kind: 'AgentRun', agentRef: { name: 'shell' }, dependsOn, retries },
        implementation: { inline: { text: 'Run a script.' } },
        with: { script },
        finally: isLast,
      }
    }),
  }
}

/** Found out without a controller. */
export function expectedSteps(shape: number): Record<string, ExpectedStep> {
  const ends: Record<string, ExpectedStep> = {}
  for (const { name, dependsOn, fails, retries } of stepsOf(shape)) {
    const isSkipped = dependsOn.some((other) => ends[other]?.phase !== 'Succeeded')
    const begun = Math.min(fails, retries) + 1
    const phase = fails > retries ? 'Failed' : 'Succeeded'
    ends[name] = isSkipped ? { phase: 'Skipped', begun: 0 } : { phase, begun }
  }
  return ends
}

/** How often programs of all steps start. */
export function attemptsOf(shape: number): number {
  return Object.values(expectedSteps(shape)).reduce((sum, { begun }) => sum + begun, 0)
}
