import { afterAll, beforeAll, describe, test } from 'vitest'
import { engineNames, startTestEngine, type TestEngine } from '../testbed/container-engine.ts'
import { type Platform, startPlatform } from './platform.ts'

/** The same tests once with each engine that this machine has; of another it is said that it is left out, and why. */
export async function describeEngines(
  title: string,
  checks: (engine: TestEngine) => void,
): Promise<void> {
  const engines = await Promise.all(
    engineNames.map(async (name) => ({ name, engine: await startTestEngine(name) })),
  )
  // For the whole file: hooks of a part of which no test is wanted do not run.
  afterAll(async () => {
    for (const { engine } of engines) if (typeof engine !== 'string') await engine.stop()
  })
  for (const { name, engine } of engines) {
    describe(`${title}, by ${name}`, () => {
      if (typeof engine === 'string') {
        test.skip(`SKIPPED: ${engine}`)
        return
      }
      checks(engine)
    })
  }
}

export interface OnEngine {
  readonly engine: TestEngine
  /** There when tests and their hooks run. */
  readonly platform: Platform
}

/** The same, with a server and a node that runs images by the engine. */
export function describePlatforms(title: string, checks: (on: OnEngine) => void): Promise<void> {
  return describeEngines(title, (engine) => {
    let platform: Platform | undefined
    beforeAll(async () => {
      const { name: containerRuntime, environment: engineEnvironment } = engine
      platform = await startPlatform({ containerRuntime, engineEnvironment })
    })
    afterAll(() => platform?.stop())
    checks({
      engine,
      get platform() {
        if (platform === undefined) throw new Error('the platform has not started')
        return platform
      },
    })
  })
}
