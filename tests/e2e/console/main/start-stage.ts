import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole } from '@agents/console'
import type { TestProject } from 'vitest/node'
import { repository } from '../../../support/agentctl/local-platform.ts'
import { startSharedPlatforms } from '../../../support/agentctl/shared-platforms.ts'
import { type SharedBrowser, startSharedBrowser } from '../../../support/testbed/browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly consoleStage: {
      readonly browser: SharedBrowser
      /** The repository that mirrors the platform. */
      readonly record: string
    }
  }
}

/** One platform with all that any file needs, and one Chromium. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'console-stage-'))
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.reverse()) await one()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    // The programs of pods may run as another user.
    chmodSync(folder, 0o755)
    const hostile = join(folder, 'hostile-agent')
    copyFileSync(join(import.meta.dirname, '../hostile-agent.mjs'), hostile)
    chmodSync(hostile, 0o755)
    const bin = join(repository, 'node_modules/.bin')
    const path = `${folder}:${bin}:${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`
    const record = join(folder, 'record.git')
    await buildConsole()
    const browser = await startSharedBrowser()
    stops.push(browser.stop)
    const settings = { PATH: path, JANGAR_WEBHOOKS_ENABLED: 'true' }
    const flags = ['--http-port', '0', '--mirror', record]
    const { platforms, stop: stopPlatforms } = await startSharedPlatforms(1, settings, ...flags)
    stops.push(stopPlatforms)
    project.provide('platforms', platforms)
    project.provide('consoleStage', { browser: browser.shared, record })
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}
