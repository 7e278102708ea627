import type { EngineName } from '@agents/local-node'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  engineNames,
  startTestEngine,
  type TestEngine,
} from '../../support/testbed/container-engine.ts'
import { type Platform, startPlatform } from './platform.ts'

/** Defines the same tests for each engine that the machine has; a skipped test reports why an engine is missing. */
export async function describeEngines(
  title: string,
  checks: (engine: TestEngine) => void,
  names: readonly EngineName[] = engineNames,
): Promise<void> {
  const engines = await Promise.all(
    names.map(async (name) => ({ name, engine: await startTestEngine(name) })),
  )
  // For the whole file, because hooks of a suite without selected tests do not run.
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
  /** Available while tests and their hooks run. */
  readonly platform: Platform
}

/** Like `describeEngines`, with a server and a node that runs images with the engine. */
export function describePlatforms(
  title: string,
  checks: (on: OnEngine) => void,
  names?: readonly EngineName[],
): Promise<void> {
  const onEngine = (engine: TestEngine): void => {
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
  }
  return describeEngines(title, onEngine, names)
}
